import type { Call, Decision, RetryPolicy, Success } from "@retry-budget/core";
import type { Options, RequestError, Response, RetryObject } from "got";
import type { CurrentOptions } from "./current-options.js";
import { outcomeOfError, outcomeOfForeignError, outcomeOfResponse } from "./got-outcome.js";
import { type CalculateDelay, originalDelay, ours, removeOurs } from "./ours.js";
import { isReplayable, isStream } from "./request-body.js";
import { socketKey } from "./socket-key.js";

interface Emitter {
  readonly retryCount?: number;
  readonly on?: unknown;
}

/** One request of got's: its retry options and hooks, wrapped to follow the attempts. */
export class BudgetedRequest {
  readonly #call: Call | undefined;
  readonly #isStream: boolean;
  readonly #signal: AbortSignal | undefined;
  #stream: Emitter | undefined;
  #options: CurrentOptions;
  /** The body at the decision; a stream that is still the same is consumed. */
  #body: unknown;
  readonly #beforeRequest = ours((options: CurrentOptions): void => this.#notice(options));
  readonly #beforeRetry = ours((error: RequestError): void => this.#commit(error));
  readonly #afterResponse = ours((response: Response): Response => this.#answered(response));
  readonly #beforeError = ours((error: RequestError): RequestError => this.#failed(error));

  constructor(policy: RetryPolicy, options: Options) {
    this.#options = options;
    this.#isStream = options.isStream;
    this.#signal = options.signal;
    const { limit = 0 } = options.retry;
    this.#call = policy.call({
      client: "got",
      method: options.method,
      url: options.url ?? "",
      key: socketKey(options),
      options: options.context["retryBudget"],
      maxAttempts: limit + 1,
      isReplayable: () => isReplayable(this.#options),
      // got's list of methods is the caller's word, the default as well as an override.
      isIdempotent: () => this.#options.retry.methods?.includes(this.#options.method),
    });
    if (this.#call === undefined) return;
    this.#wrapDelay(options.retry);
    this.#installHooks(options);
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

  #wrapDelay(retry: Options["retry"]): void {
    let own = originalDelay(retry.calculateDelay);
    const budget = this;
    const wrapped = ours(
      async function calculateDelay(this: unknown, object: RetryObject) {
        return budget.#ask(object, await own?.call(this, object));
      },
      () => own,
    );
    // Later handlers and hooks may set theirs: it is then theirs that ours asks.
    Object.defineProperty(retry, "calculateDelay", {
      configurable: true,
      enumerable: true,
      get: () => wrapped,
      set: (later: CalculateDelay | undefined) => {
        own = originalDelay(later);
      },
    });
  }

  #installHooks({ hooks }: CurrentOptions): void {
    const lists = [hooks.beforeRequest, hooks.beforeRetry, hooks.afterResponse, hooks.beforeError];
    for (const list of lists) removeOurs(list);
    // Last in their lists: the user's own hooks have then had their say.
    hooks.beforeRequest.push(this.#beforeRequest);
    hooks.beforeRetry.push(this.#beforeRetry);
    hooks.afterResponse.push(this.#afterResponse);
    // From got 15 on, what its own rules refuse never comes to calculateDelay.
    hooks.beforeError.push(this.#beforeError);
  }

  /** The user's delay, or 0 where the policy refuses the retry: got then gives its own error. */
  async #ask({ error, computedValue }: RetryObject, own: unknown): Promise<number> {
    const isOwn = this.#isOwn(error);
    // Handlers replace lists of hooks, and got drops some of them in `retryWithMergedOptions`.
    if (isOwn) this.#installHooks(error.options);
    // That is the same request anew, with a refreshed token for instance.
    if (error.name === "RetryError") return Number(own);
    const request = isOwn ? error.request : undefined;
    const decision = this.#tellError(error, computedValue, own);
    // In an abort got asks no further after a delay, and runs no hooks.
    const refused = request?.destroyed === true ? 1 : 0;
    if (decision?.retry !== true) return refused;
    this.#body = this.#options.body;
    this.#abandonAtEnd(request);
    if (this.#call?.hasOnRetry !== true) return Math.max(1, decision.delay);
    // `onRetry` comes after the wait, and if it throws, got still has to give its own error.
    await this.#call.sleep();
    if (await this.#call.prepare(this.#options.headers)) return 1;
    return request?.destroyed === true ? 1 : 0;
  }

  /** A hook may have let through the error of a request that it has made itself. */
  #isOwn({ options }: Partial<RequestError>): boolean {
    const hooks = options?.hooks;
    return [hooks?.beforeRequest, hooks?.beforeRetry].some((list) =>
      (list as object[] | undefined)?.some(
        (hook) => hook === this.#beforeRequest || hook === this.#beforeRetry,
      ),
    );
  }

  /** Whatever ends the request before our `beforeRetry` gives the token back. */
  #abandonAtEnd(request: RequestError["request"]): void {
    const call = this.#call;
    const attempt = call?.attempts;
    const abandon = (): void => {
      // Not for the grant of a later attempt: `close` comes after what follows it.
      if (call?.attempts === attempt) call?.abandon();
    };
    if (request === undefined) this.#signal?.addEventListener("abort", abandon, { once: true });
    else request.once("close", abandon);
  }

  #commit(error: RequestError): void {
    if (error.name === "RetryError") return;
    const { body } = this.#options;
    const isConsumed = isStream(body) && body === this.#body;
    // got will not send it after all.
    if (isConsumed || (this.#isOwn(error) && error.request?.destroyed === true)) {
      this.#call?.abandon();
      return;
    }
    // Somebody has taken our calculateDelay away: it is asked for here, at the price of got's own
    // error, which got wraps in another one when a hook throws.
    if (this.#call?.pending !== true && this.#tellError(error, 1, 1)?.retry !== true) throw error;
    this.#call?.sent();
  }

  #notice(options: CurrentOptions): void {
    this.#options = options;
    if (!options.cache) this.#send();
  }

  #send(): void {
    // The caller may make each retry of a stream a stream of its own, and says so by this.
    this.#call?.continue(this.#stream?.retryCount ?? 0);
    this.#call?.sent(this.#options.url);
  }

  #answered(response: Response): Response {
    if (response.ok) this.#tell({ ...outcomeOfResponse(response), final: true });
    return response;
  }

  #failed(error: RequestError): RequestError {
    this.#tellError(error, 0, 0);
    return error;
  }

  #tellError(
    error: RequestError,
    computed: number,
    delay: unknown,
  ): Decision | Success | undefined {
    const outcome = this.#isOwn(error) ? outcomeOfError : outcomeOfForeignError;
    return this.#tell(outcome(error, computed, delay));
  }

  #tell(outcome: Parameters<Call["settle"]>[0]): Decision | Success | undefined {
    const call = this.#call;
    // Without a request that went out, a cache or a hook has answered.
    return call?.settle(call.attempts === 0 ? { ...outcome, tried: false } : outcome);
  }
}
