import type { Call } from "@retry-budget/core";
import type { Options } from "p-retry";
import { longestDelay, withSafeTimeouts } from "./delays.js";
import type { AbortErrorClass, PRetry } from "./p-retry-module.js";

type Input<Result> = (attemptNumber: number) => PromiseLike<Result> | Result;

/** p-retry 7 and later hand a context to their callbacks, 6 the decorated error itself. */
type Failure = Parameters<NonNullable<Options["shouldRetry"]>>[0];

/** One call of pRetry, with its input and its gate wrapped. */
export class BudgetedRun<Result> {
  readonly #call: Call;
  readonly #input: Input<Result>;
  readonly #options: Options;
  readonly #AbortError: AbortErrorClass;
  #lastError: unknown;
  #isAbortedInWait = false;
  #stopListening = (): void => undefined;

  constructor(call: Call, input: Input<Result>, options: Options, AbortError: AbortErrorClass) {
    this.#call = call;
    this.#input = input;
    this.#options = withSafeTimeouts(options);
    this.#AbortError = AbortError;
  }

  async start(pRetry: PRetry): Promise<Result> {
    try {
      const result = await pRetry((attemptNumber) => this.#attempt(attemptNumber), {
        ...this.#options,
        shouldRetry: (failure) => this.#shouldRetry(failure),
      });
      this.#call.settle({ final: true });
      return result;
    } catch (error) {
      // Without an attempt it is a mistake in p-retry's options, or an abort before the first.
      this.#call.settle({ error, transient: this.#call.attempts > 0, final: true });
      throw this.#isAbortedInWait ? this.#options.signal?.reason : error;
    } finally {
      this.#stopListening();
    }
  }

  async #attempt(attemptNumber: number): Promise<Result> {
    if (this.#call.attempts > 0 && !(await this.#mayReissue())) {
      this.#isAbortedInWait = this.#options.signal?.aborted === true;
      throw new this.#AbortError(this.#lastError as Error);
    }
    this.#stopListening();
    this.#call.sent();
    // By a name, as in p-retry: what is no function is named in the TypeError.
    const input = this.#input;
    try {
      return await input(attemptNumber);
    } catch (error) {
      this.#lastError = error;
      throw error;
    }
  }

  /** Some of p-retry's paths begin another attempt without asking `shouldRetry`. */
  async #mayReissue(): Promise<boolean> {
    if (!this.#call.pending) this.#call.settle({ error: this.#lastError, transient: true });
    return this.#call.prepare();
  }

  async #shouldRetry(failure: Failure): Promise<boolean> {
    const { shouldRetry, signal } = this.#options;
    const isContext = !(failure instanceof Error);
    const error: unknown = isContext ? failure.error : failure;
    const wanted = !shouldRetry || (await shouldRetry.call(this.#options, failure));
    const delay = longestDelay(failure, this.#options);
    const decision = this.#call.settle({ error, transient: true, final: !wanted, delay });
    // p-retry 7 would reject with the attempt's error; 6 writes to what is thrown here.
    if (isContext && wanted && decision?.refusal === "aborted") throw signal?.reason;
    if (decision?.retry !== true) return false;
    this.#listen();
    return true;
  }

  // Only while a retry waits: many calls may share one signal.
  #listen(): void {
    const { signal } = this.#options;
    const abandon = (): void => this.#call.abandon();
    signal?.addEventListener("abort", abandon);
    this.#stopListening = () => {
      signal?.removeEventListener("abort", abandon);
      this.#stopListening = () => undefined;
    };
  }
}
