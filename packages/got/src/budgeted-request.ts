import type { Call, Decision, RetryPolicy, Success } from "@retry-budget/core";
import type { Options, RequestError, Response, RetryObject } from "got";
import type { CurrentOptions } from "./current-options.js";
import { outcomeOfError, outcomeOfResponse } from "./got-outcome.js";
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
    this.#pushHooks(options);
  }

  /** What got gives for the request, a promise or a stream, tells what its hooks do not. */
  watch(result: unknown): void {
    const emitter: Emitter = Object(result);
    if (this.#call === undefined || typeof emitter.on !== "function") return;
    const on = emitter.on.bind(result) as (event: string, listener: () => void) => void;
    // What the cache answers sends nothing, though all hooks run.
    if (this.#options.cache) on("request", () => this.#send());
    if (!this.#isStream) return;
    const call = this.#call;
    // The pattern in which the caller makes each retry a stream of its own.
    on("request", () => call.continue(emitter.retryCount ?? 0));
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

  /** Last in their lists: the user's own hooks have then had their say. */
  #pushHooks({ hooks }: Options): void {
    for (const list of [
      hooks.beforeRequest,
      hooks.beforeRetry,
      hooks.afterResponse,
      hooks.beforeError,
    ]) {
      removeOurs(list);
    }
    hooks.beforeRequest.push(this.#beforeRequest);
    hooks.beforeRetry.push(this.#beforeRetry);
    hooks.afterResponse.push(this.#afterResponse);
    // From got 15 on, what its own rules refuse never comes to calculateDelay.
    hooks.beforeError.push(this.#beforeError);
  }

  /** The user's delay, or 0 where the policy refuses the retry: got then gives its own error. */
  async #ask({ error, computedValue }: RetryObject, own: unknown): Promise<number> {
    // `retryWithMergedOptions`: the same request anew, after a refreshed token for instance.
    if (error.name === "RetryError") return this.#passRefresh(error, own);
    const decision = this.#tellError(error, computedValue, own);
    // In an abort got asks no further after a delay, and runs no hooks.
    if (decision?.retry !== true) return error.request?.destroyed === true ? 1 : 0;
    this.#body = this.#options.body;
    this.#abandonOnClose(error);
    if (this.#call?.hasOnRetry !== true) return Math.max(1, decision.delay);
    // `onRetry` comes after the wait, and if it throws, got still has to give its own error.
    await this.#call.sleep();
    if (await this.#call.prepare(error.options.headers)) return 1;
    return error.request?.destroyed === true ? 1 : 0;
  }

  #passRefresh({ options }: RequestError, own: unknown): number {
    const { afterResponse } = options.hooks;
    // got drops the hooks after the one that asked for it.
    if (!afterResponse.includes(this.#afterResponse)) afterResponse.push(this.#afterResponse);
    return Number(own);
  }

  /** Whatever ends the request before our `beforeRetry` gives the token back. */
  #abandonOnClose({ request, options }: RequestError): void {
    const call = this.#call;
    const attempt = call?.attempts;
    const abandon = (): void => {
      // Not for the grant of a later attempt: `close` comes after what follows it.
      if (call?.attempts === attempt) call?.abandon();
    };
    if (request === undefined) options?.signal?.addEventListener("abort", abandon, { once: true });
    else request.once("close", abandon);
  }

  #commit(error: RequestError): void {
    if (error.name === "RetryError") return;
    const { body } = this.#options;
    const isConsumed = isStream(body) && body === this.#body;
    // got will not send it after all.
    if (isConsumed || error.request?.destroyed === true) {
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
    return this.#tell(outcomeOfError(error, computed, delay));
  }

  #tell(outcome: Parameters<Call["settle"]>[0]): Decision | Success | undefined {
    const call = this.#call;
    // Without a request that went out, a cache or a hook has answered.
    return call?.settle(call.attempts === 0 ? { ...outcome, tried: false } : outcome);
  }
}
