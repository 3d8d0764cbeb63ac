import { type Call, type Decision, isStreamBody } from "@retry-budget/core";
import type { Options, RequestError, Response, RetryObject } from "got";
import { Departure } from "./departure.js";
import { type Emitter, isEmitter, isQuit } from "./emitter.js";
import { Endings } from "./endings.js";
import type { CurrentOptions, GotFacts } from "./got-facts.js";
import { outcomeOfError, outcomeOfForeignError, outcomeOfResponse } from "./got-outcome.js";
import type { GrantedRetry } from "./granted-retry.js";
import { hasEnded } from "./has-ended.js";
import { InnerRequest } from "./inner-request.js";
import { isSuccess } from "./is-success.js";
import { optionsOf } from "./options-of.js";
import { RequestHooks, type Watcher } from "./request-hooks.js";
import { hearRetryStream } from "./retry-listener.js";
import { type NetworkRequest, Sending } from "./sending.js";

/** One request of got's on its way: what its hooks and its emitter tell goes into the call. */
export class BudgetedRequest implements Watcher {
  readonly #call: Call;
  readonly #facts: GotFacts;
  readonly #hooks: RequestHooks;
  readonly #departure: Departure;
  readonly #sending: Sending;
  readonly #endings: Endings;
  readonly #isStream: boolean;
  #inner: InnerRequest | undefined;
  #emitter: Emitter | undefined;

  constructor(call: Call, facts: GotFacts, options: Options) {
    this.#call = call;
    this.#facts = facts;
    this.#isStream = options.isStream;
    this.#departure = new Departure(call);
    this.#sending = new Sending(call, facts);
    this.#endings = new Endings(this.#sending);
    this.#hooks = new RequestHooks(this);
    this.#hooks.install(options);
  }

  /** The promise or the stream tells what got's hooks do not: what goes to the network, for one. */
  watch(emitter: unknown): void {
    if (!isEmitter(emitter)) return;
    this.#emitter = emitter;
    emitter.on("request", (request: NetworkRequest) => {
      this.#departure.takeOffMarks(this.#facts.current);
      this.#sending.begin(request, emitter.retryCount);
      if (!this.#isStream) this.#endings.hearAbort(request, emitter, this.#facts.current.signal);
    });
    if (!this.#isStream) return;
    const isLast = (): boolean => this.#emitter === emitter;
    this.#endings.hearStream(emitter, isLast, () => this.#departure.restore(this.#facts.current));
  }

  within<Result>(work: () => Result): Result {
    return this.#call.within(work);
  }

  /** The user's delay, or 0 where the policy refuses the retry: got then gives its own error. */
  async ask({ error, computedValue }: RetryObject, own: unknown): Promise<number> {
    const isOwn = this.#isOwn(error);
    if (isOwn) this.#hooks.ensure(error.options);
    // `retryWithMergedOptions`: the same request anew, with a refreshed token for instance.
    if (error.name === "RetryError") {
      this.#departure.restore(this.#facts.current);
      this.#sending.prove();
    }
    if (error.name === "RetryError" || (!own && this.#inner?.has(error.options) === true)) {
      return Number(own);
    }
    const decision = this.#tellError(error, computedValue, own);
    // After a delay got asks no further, and runs no hooks of a request that is destroyed.
    const refused = (): number => (own && isOwn && hasEnded(error) ? 1 : 0);
    if (decision?.retry !== true) return refused();
    this.#grant(error);
    if (!this.#call.needsPreparing) return Math.max(1, decision.delay);
    // `onRetry` comes after the wait, and if it throws, got still has to give its own error.
    await this.#call.sleep();
    return (await this.#call.prepare(this.#facts.current.headers)) ? 1 : refused();
  }

  beforeInner(options: unknown): void {
    this.#inner ??= new InnerRequest();
    this.#inner.begin(options);
  }

  beforeRetry(error: RequestError): void {
    if (error.name === "RetryError") return;
    if (this.#isOwn(error) && hasEnded(error)) {
      this.#sending.granted?.abandon();
      // Nobody waits for it; got before 14.6 makes one attempt more, and ends the process by it.
      error.request?.destroy();
      return;
    }
    const granted = this.#grantedFor(error);
    granted.begin();
    const { body } = this.#facts.current;
    // Consumed: got will not send it after all.
    if (isStreamBody(body) && body === granted.body) granted.abandon();
    if (this.#isStream) this.#retryStream(error);
  }

  beforeRequest(options: CurrentOptions): unknown {
    this.#facts.current = options;
    const emitter = this.#emitter;
    if (isQuit(emitter, options.signal)) return this.#sending.quit();
    const unsent = this.#departure.leave(options);
    this.#sending.isHeld = unsent !== undefined;
    if (emitter === undefined) this.#sending.begin();
    return unsent;
  }

  afterResponse(response: Response): void {
    const { statusCode, isFromCache } = response;
    const { current } = this.#facts;
    this.#departure.restore(current);
    if (isFromCache === true) this.#sending.disprove();
    else this.#sending.prove();
    if (isSuccess(statusCode, current)) {
      if (!this.#sending.succeed(statusCode)) this.#sending.tell(outcomeOfResponse(response));
    } else if (current.throwHttpErrors === false && this.#inner?.has(current) !== true) {
      this.#endings.hearLast(response);
    }
  }

  beforeError(error: RequestError): void {
    if (this.#inner?.fails(optionsOf(error)) !== true) this.#tellError(error, 0, 0);
  }

  #grant(error: RequestError): GrantedRetry {
    // Of an error that another request has made, got does not say which request of ours it ended.
    const foreign = this.#isStream ? this.#emitter : undefined;
    return this.#sending.grant(this.#isOwn(error) ? error.request : foreign);
  }

  /** @throws the error itself where somebody has put `calculateDelay` out of the way, and no token is left */
  #grantedFor(error: RequestError): GrantedRetry {
    const { granted } = this.#sending;
    if (granted?.isWaiting === true) return granted;
    if (this.#tellError(error, 1, 1)?.retry === true) return this.#grant(error);
    throw error;
  }

  /** The caller makes the retry, by what got hands to his listener or as a request of his own. */
  #retryStream({ request }: RequestError): void {
    // After a hook of the user's that took too long it never goes out.
    if (this.#call.remaining() > 0) this.#sending.sent();
    if (request === undefined) return;
    hearRetryStream(request, (next) => this.watch(next));
  }

  /** A hook may let through the error of another request. */
  #isOwn(error: RequestError): boolean {
    const options = optionsOf(error);
    return this.#hooks.areIn(options) && this.#inner?.has(options) !== true;
  }

  #tellError(error: RequestError, computed: number, own: unknown): Decision | undefined {
    this.#endings.heard();
    if (!this.#isOwn(error)) return this.#sending.tell(outcomeOfForeignError(error, computed, own));
    const expired = this.#departure.isExpired(error);
    this.#departure.restore(this.#facts.current);
    const outcome = { ...outcomeOfError(error, computed, own), expired };
    if (outcome.aborted === true) this.#sending.disprove();
    return this.#sending.tell(outcome);
  }
}
