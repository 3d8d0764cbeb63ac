import { type Call, type Decision, isStreamBody, type Outcome } from "@retry-budget/core";
import type { Options, RequestError, Response, RetryObject } from "got";
import type { CurrentOptions, CurrentRequest } from "./current-request.js";
import { outcomeOfError, outcomeOfForeignError, outcomeOfResponse } from "./got-outcome.js";
import { type Ending, GrantedRetry } from "./granted-retry.js";
import { hasEnded } from "./has-ended.js";
import { InnerRequest } from "./inner-request.js";
import { RequestHooks } from "./request-hooks.js";

interface Emitter extends Ending {
  readonly retryCount?: number;
  readonly on?: unknown;
}

/** One request of got's on its way: what its hooks and its emitter tell goes into the call. */
export class BudgetedRequest {
  readonly #call: Call;
  readonly #current: CurrentRequest;
  readonly #hooks: RequestHooks;
  readonly #isStream: boolean;
  readonly #signal: AbortSignal | undefined;
  #stream: Emitter | undefined;
  /** What a cache answers sends nothing, though all hooks run; the emitter tells. */
  #tellsRequests = false;
  #granted: GrantedRetry | undefined;
  readonly #inner = new InnerRequest();

  constructor(call: Call, current: CurrentRequest, options: Options) {
    this.#call = call;
    this.#current = current;
    this.#isStream = options.isStream;
    this.#signal = options.signal;
    this.#hooks = new RequestHooks({
      ask: (object, own) => this.#ask(object, own),
      beforeRequest: (later) => this.#goesOut(later),
      beforeRetry: (error, inner) => this.#commit(error, inner),
      afterResponse: (response) => this.#answered(response),
      beforeError: (error) => this.#failed(error),
    });
    this.#hooks.install(options);
  }

  /** What got gives for the request, a promise or a stream, tells what its hooks do not. */
  watch(result: unknown): void {
    const emitter: Emitter = Object(result);
    if (typeof emitter.on !== "function") return;
    type On = (event: string, listener: (value: Response) => void) => void;
    const on = emitter.on.bind(result) as On;
    this.#tellsRequests = Boolean(this.#current.options.cache);
    if (this.#tellsRequests) on("request", () => this.#send());
    if (!this.#isStream) return;
    this.#stream = emitter;
    on("response", (response) => {
      on("end", () => this.#tell({ ...outcomeOfResponse(response), final: true }));
    });
  }

  /** The user's delay, or 0 where the policy refuses the retry: got then gives its own error. */
  async #ask({ error, computedValue }: RetryObject, own: unknown): Promise<number> {
    const isOwn = this.#isOwn(error);
    if (isOwn) this.#hooks.ensure(error.options);
    // `retryWithMergedOptions`: the same request anew, with a refreshed token for instance.
    if (error.name === "RetryError" || (!own && this.#inner.has(error.options))) {
      return Number(own);
    }
    const decision = this.#tellError(error, computedValue, own);
    // After a delay got asks no further, and runs no hooks of a request that is destroyed.
    const refused = (): number => (isOwn && hasEnded(error) ? 1 : 0);
    if (decision?.retry !== true) return refused();
    // Of an error that another request has made, got does not say which request of ours it ended.
    const request = isOwn ? error.request : this.#stream;
    this.#granted = new GrantedRetry(this.#call, this.#current.options.body, request, this.#signal);
    if (!this.#call.hasOnRetry) return Math.max(1, decision.delay);
    // `onRetry` comes after the wait, and if it throws, got still has to give its own error.
    await this.#call.sleep();
    return (await this.#call.prepare(this.#current.options.headers)) ? 1 : refused();
  }

  /** got 11 hands over no error where it makes the request anew: the options of the inner one. */
  #commit(error: RequestError | undefined, options: unknown): void {
    if (error === undefined) this.#inner.begin(options);
    if (error === undefined || error.name === "RetryError") return;
    const granted = this.#granted;
    granted?.begin();
    const { body } = this.#current.options;
    const isConsumed = isStreamBody(body) && body === granted?.body;
    const isOver = this.#isOwn(error) && hasEnded(error);
    // got will not send it after all.
    if (isConsumed || isOver) granted?.abandon();
    // Nobody waits for it; got before 14.6 makes one attempt more, and ends the process by it.
    if (isOver) error.request?.destroy();
    // A stream is made anew by the caller, as another request perhaps.
    if (this.#isStream) this.#sent();
  }

  #goesOut(options: CurrentOptions): void {
    this.#current.options = options;
    if (!this.#tellsRequests) this.#send();
  }

  #send(): void {
    // The caller may make each retry of a stream a stream of its own, and says so by this.
    this.#call.continue(this.#stream?.retryCount ?? 0);
    this.#sent(this.#current.options.url);
  }

  #sent(url?: string | URL): void {
    this.#granted?.end();
    this.#call.sent(url);
  }

  #answered(response: Response): void {
    // got 11 does not say whether it is a success.
    const { ok = response.statusCode < 400 } = response as Partial<Response>;
    if (ok) this.#tell({ ...outcomeOfResponse(response), final: true });
  }

  #failed(error: RequestError): void {
    if (!this.#inner.fails(optionsOf(error))) this.#tellError(error, 0, 0);
  }

  /** A hook may let through the error of another request. */
  #isOwn(error: RequestError): boolean {
    const options = optionsOf(error);
    return this.#hooks.areIn(options) && !this.#inner.has(options);
  }

  #tellError(error: RequestError, computed: number, own: unknown): Decision | undefined {
    // A hook of the user's threw in its way.
    if (this.#granted?.isUnderWay === true) this.#granted.abandon();
    const outcomeOf = this.#isOwn(error) ? outcomeOfError : outcomeOfForeignError;
    return this.#tell(outcomeOf(error, computed, own));
  }

  #tell(outcome: Outcome): Decision | undefined {
    const call = this.#call;
    // Without a request that went out, a cache or a hook has answered.
    return call.settle(call.attempts === 0 ? { ...outcome, tried: false } : outcome);
  }
}

/** Whatever a hook of the user's has put in the place of got's error. */
function optionsOf(error: unknown): Options | undefined {
  return (Object(error) as Partial<RequestError>).options;
}
