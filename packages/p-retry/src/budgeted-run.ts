import type { Call, Decision, Outcome } from "@retry-budget/core";
import { longestDelay, withSafeTimeouts } from "./delays.js";
import { inTime, type Timed } from "./in-time.js";
import type { Input, PRetryModule } from "./p-retry-module.js";
import type { Failure, PRetryOptions } from "./p-retry-options.js";
import { timeoutError } from "./timeout-error.js";

/** What one run consists of. */
export interface RunParts<Result> {
  readonly module: PRetryModule;
  readonly call: Call;
  readonly input: Input<Result>;
  readonly options: PRetryOptions;
  /** The budget's key by the error of an attempt; absent where the key is known before. */
  readonly keyOf?: ((error: unknown) => string) | undefined;
}

/** One call of pRetry, with its input and its callbacks wrapped. */
export class BudgetedRun<Result> {
  readonly #parts: RunParts<Result>;
  readonly #options: PRetryOptions;
  #hasBegun = false;
  /** Whether the first attempt is an original: one that was aborted before it began is none. */
  #isOriginal = false;
  #lastError: unknown;
  #timed: Timed<Result> | undefined;
  /** What rejects, where p-retry might reject with something else. */
  #end: { readonly error: unknown } | undefined;

  constructor(parts: RunParts<Result>) {
    this.#parts = parts;
    this.#options = withSafeTimeouts(parts.options);
  }

  async start(): Promise<Result> {
    const { call, module } = this.#parts;
    const { onFailedAttempt, shouldRetry } = this.#options;
    const options = {
      ...this.#options,
      // What is no function is left for p-retry to refuse.
      ...(mayWrap(onFailedAttempt) && { onFailedAttempt: this.#onFailedAttempt }),
      ...(mayWrap(shouldRetry) && { shouldRetry: this.#shouldRetry }),
    };
    try {
      const result = await call.within(() => module.pRetry(this.#attempt, options));
      call.settle({ final: true });
      return result;
    } catch (error) {
      // It may be over while an attempt runs: p-retry 5 and 6 reject as soon as they are aborted.
      this.#countOriginal();
      this.#settle({ error, transient: this.#isTransient(error), final: true });
      throw this.#end === undefined ? error : this.#end.error;
    } finally {
      this.#timed?.stop();
    }
  }

  readonly #attempt = async (attemptNumber: number): Promise<Result> => {
    const { module } = this.#parts;
    const mayBegin = this.#hasBegun ? await this.#mayReissue() : this.#mayBegin();
    if (!mayBegin) throw new module.AbortError(this.#lastError as Error);
    try {
      const result = await this.#operate(attemptNumber);
      this.#countOriginal();
      return result;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  };

  #mayBegin(): boolean {
    const { call, keyOf } = this.#parts;
    this.#hasBegun = true;
    const denial = call.begin();
    if (denial !== undefined) {
      const error = denial.refusal === "breaker" ? denial.error : timeoutError();
      call.settle({ error, sent: false, tried: false });
      // p-retry 6 would write to it, and all of them take it for an Error.
      this.#end = { error };
      return false;
    }
    // p-retry 5 and 6 begin all the same, and an operation that has the signal sends nothing.
    this.#isOriginal = this.#options.signal?.aborted !== true;
    if (keyOf === undefined) this.#countOriginal();
    return true;
  }

  #operate(attemptNumber: number): PromiseLike<Result> | Result {
    // By a name, as in p-retry: what is no function is named in the TypeError.
    const { call, input } = this.#parts;
    if (!call.hasDeadline) return input(attemptNumber);
    this.#timed = inTime(call, async () => input(attemptNumber), this.#expire);
    return this.#timed.result;
  }

  /** Ends p-retry as well, in all of its majors. */
  readonly #expire = (): Error => {
    const { signal } = this.#options;
    // p-retry 7 and later wait for the attempt's end before they reject with the reason.
    const error = signal?.aborted === true ? signal.reason : timeoutError();
    this.#end = { error };
    return new this.#parts.module.AbortError(error);
  };

  #fail(error: unknown): void {
    const { module, call, keyOf } = this.#parts;
    this.#lastError = error;
    const failure = error instanceof module.AbortError ? error.originalError : error;
    if (keyOf !== undefined) call.chargeTo(keyOf(failure));
    this.#countOriginal();
  }

  /** Of the failure that p-retry has ended with by itself: a breaker is told of it. */
  #isTransient(error: unknown): boolean | undefined {
    // Without an attempt it is a mistake in p-retry's options, or an abort before the first.
    if (!this.#isOriginal || this.#lastError instanceof this.#parts.module.AbortError) return false;
    // Of a connection or of a bug: core knows them by their causes.
    return error instanceof TypeError ? undefined : true;
  }

  /** Once, and where the key depends on the error only when that is known. */
  #countOriginal(): void {
    const { call } = this.#parts;
    if (this.#isOriginal && call.attempts === 0) call.sent();
  }

  async #mayReissue(): Promise<boolean> {
    const { call } = this.#parts;
    const { signal } = this.#options;
    // Some of p-retry's paths begin another attempt without asking `shouldRetry`.
    if (!call.pending) this.#settle({ error: this.#lastError, transient: true, delay: 0 });
    const abandon = (): void => call.abandon();
    // p-retry does not listen by now. Only while a hook runs: many calls may share one signal.
    if (call.needsPreparing) signal?.addEventListener?.("abort", abandon);
    const isDue = await call.prepare();
    if (call.needsPreparing) signal?.removeEventListener?.("abort", abandon);
    if (isDue) call.sent();
    // An `AbortError` of another copy of p-retry than this pRetry would show else.
    else this.#end = { error: signal?.aborted === true ? signal.reason : this.#lastError };
    return isDue;
  }

  readonly #onFailedAttempt = async (failure: Failure): Promise<void> => {
    // At once: an error that several calls share is decorated by each of them.
    const isLast = this.#isLast(failure);
    try {
      await this.#options.onFailedAttempt?.(failure);
    } catch (error) {
      // p-retry 6 never settles if that is no object.
      this.#parts.call.abandon();
      throw error;
    }
    if (!(failure instanceof Error)) this.#lastError = failure.error;
    // p-retry 5 has no `shouldRetry`, and rejects with what is thrown here; 6 has decided already.
    else if (!isLast && !this.#decide(failure, true)) throw failure;
  };

  readonly #shouldRetry = async (failure: Failure): Promise<boolean> => {
    const isLast = this.#isLast(failure);
    const { shouldRetry } = this.#options;
    const isWanted = !shouldRetry || Boolean(await shouldRetry.call(this.#options, failure));
    // p-retry 6 asks where it will not retry, too; the error that it ends with is its own choice.
    return (isLast && isWanted) || this.#decide(failure, isWanted);
  };

  #isLast({ retriesLeft = 0 }: Failure): boolean {
    return !(retriesLeft > 0) && this.#options.forever !== true;
  }

  #decide(failure: Failure, isWanted: boolean): boolean {
    const { call } = this.#parts;
    const context = failure instanceof Error ? undefined : failure;
    const error = context === undefined ? failure : context.error;
    const delay = longestDelay(context, call.attempts, this.#options);
    const isGranted = this.#settle({ error, transient: true, final: !isWanted, delay })?.retry;
    const { signal } = this.#options;
    // p-retry 7 would reject with the attempt's error, 5 and 6 where it was aborted before.
    if (isWanted && signal?.aborted === true) this.#end ??= { error: signal.reason };
    return isGranted === true;
  }

  // Only a failure: p-retry 5 and 6 also give the result of what was aborted before it began.
  #settle(failure: Outcome): Decision | undefined {
    const aborted = this.#options.signal?.aborted === true;
    return this.#parts.call.settle({ ...failure, aborted });
  }
}

function mayWrap(value: unknown): boolean {
  return typeof value === "function" || value === undefined || value === null;
}
