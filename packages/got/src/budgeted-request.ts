import {
  type Call,
  type Decision,
  isStreamBody,
  type Outcome,
  type RetryPolicy,
  socketKey,
} from "@retry-budget/core";
import type { Options, RequestError, Response, RetryObject } from "got";
import type { CurrentOptions } from "./current-options.js";
import { outcomeOfError, outcomeOfForeignError, outcomeOfResponse } from "./got-outcome.js";
import { isReplayable } from "./request-body.js";
import { RequestHooks } from "./request-hooks.js";
import { socketPath } from "./socket-path.js";

interface Emitter {
  readonly retryCount?: number;
  readonly on?: unknown;
  once(event: "close", listener: () => void): unknown;
}

/** One request of got's on its way: what its hooks and its emitter tell goes into the call. */
export class BudgetedRequest {
  readonly #call: Call | undefined;
  readonly #hooks: RequestHooks;
  readonly #isStream: boolean;
  readonly #signal: AbortSignal | undefined;
  #stream: Emitter | undefined;
  #options: CurrentOptions;
  /** The body at the decision; a stream that is still the same is consumed. */
  #body: unknown;
  #stopListening = (): void => undefined;

  constructor(policy: RetryPolicy, options: Options) {
    this.#options = options;
    this.#isStream = options.isStream;
    this.#signal = options.signal;
    this.#hooks = new RequestHooks({
      ask: (object, own) => this.#ask(object, own),
      beforeRequest: (current) => this.#goesOut(current),
      beforeRetry: (error) => this.#commit(error),
      afterResponse: (response) => this.#answered(response),
      beforeError: (error) => void this.#tellError(error, 0, 0),
    });
    const { limit = 0 } = options.retry;
    const path = socketPath(options);
    this.#call = policy.call({
      client: "got",
      method: options.method,
      url: options.url,
      key: path === undefined ? undefined : socketKey(path),
      options: options.context["retryBudget"],
      maxAttempts: limit + 1,
      isReplayable: () => isReplayable(this.#options),
      // got's list of methods is the caller's word, the default as well as an override.
      isIdempotent: () => this.#options.retry.methods?.includes(this.#options.method),
    });
    if (this.#call !== undefined) this.#hooks.install(options);
  }

  /** What got gives for the request, a promise or a stream, tells what its hooks do not. */
  watch(result: unknown): void {
    const emitter: Emitter = Object(result);
    if (this.#call === undefined || typeof emitter.on !== "function") return;
    const on = emitter.on.bind(result) as (event: string, listener: () => void) => void;
    // What the cache answers sends nothing, though all hooks run.
    if (this.#options.cache) on("request", () => this.#send());
    if (!this.#isStream) return;
    this.#stream = emitter;
    on("end", () => {
      const { response } = result as { response?: Response };
      if (response !== undefined) this.#tell({ ...outcomeOfResponse(response), final: true });
    });
  }

  /** The user's delay, or 0 where the policy refuses the retry: got then gives its own error. */
  async #ask({ error, computedValue }: RetryObject, own: unknown): Promise<number> {
    const isOwn = this.#hooks.areIn(error.options);
    if (isOwn) this.#hooks.ensure(error.options);
    // `retryWithMergedOptions`: the same request anew, with a refreshed token for instance.
    if (error.name === "RetryError") return Number(own);
    const decision = this.#tellError(error, computedValue, own);
    const request = isOwn ? error.request : undefined;
    // In an abort got asks no further after a delay, and runs no hooks.
    const refused = (): number => (request?.destroyed === true ? 1 : 0);
    if (decision?.retry !== true) return refused();
    this.#body = this.#options.body;
    this.#abandonAtEnd(request);
    if (this.#call?.hasOnRetry !== true) return Math.max(1, decision.delay);
    // `onRetry` comes after the wait, and if it throws, got still has to give its own error.
    await this.#call.sleep();
    return (await this.#call.prepare(this.#options.headers)) ? 1 : refused();
  }

  /** Whatever ends the request before our `beforeRetry` gives the token back. */
  #abandonAtEnd(request: RequestError["request"]): void {
    const attempt = this.#call?.attempts;
    const abandon = (): void => {
      // Not for the grant of a later attempt: `close` comes after what follows it.
      if (this.#call?.attempts === attempt) this.#call?.abandon();
    };
    // Of an error that another request has made, got does not say which request of ours it ended.
    const ended = request ?? this.#stream;
    if (ended !== undefined) {
      ended.once("close", abandon);
      return;
    }
    const signal = this.#signal;
    signal?.addEventListener("abort", abandon);
    this.#stopListening = () => signal?.removeEventListener("abort", abandon);
  }

  #commit(error: RequestError): void {
    if (error.name === "RetryError") return;
    this.#stopListening();
    const { body } = this.#options;
    const isConsumed = isStreamBody(body) && body === this.#body;
    const isDestroyed = this.#hooks.areIn(error.options) && error.request?.destroyed === true;
    // got will not send it after all.
    if (isConsumed || isDestroyed) this.#call?.abandon();
    else this.#call?.sent();
  }

  #goesOut(options: CurrentOptions): void {
    this.#options = options;
    if (!options.cache) this.#send();
  }

  #send(): void {
    // The caller may make each retry of a stream a stream of its own, and says so by this.
    this.#call?.continue(this.#stream?.retryCount ?? 0);
    this.#call?.sent(this.#options.url);
  }

  #answered(response: Response): void {
    if (response.ok) this.#tell({ ...outcomeOfResponse(response), final: true });
  }

  #tellError(error: RequestError, computed: number, own: unknown): Decision | undefined {
    const isOwn = this.#hooks.areIn((error as Partial<RequestError>).options);
    const outcomeOf = isOwn ? outcomeOfError : outcomeOfForeignError;
    return this.#tell(outcomeOf(error, computed, own));
  }

  #tell(outcome: Outcome): Decision | undefined {
    const call = this.#call;
    // Without a request that went out, a cache or a hook has answered.
    return call?.settle(call.attempts === 0 ? { ...outcome, tried: false } : outcome);
  }
}
