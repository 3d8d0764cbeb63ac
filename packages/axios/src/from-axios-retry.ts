import {
  type BackoffFunction,
  type Classify,
  createWarner,
  mistake,
  type OnRetry,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import type { AxiosError, AxiosHeaders } from "axios";

/** The options of axios-retry 4. Those that have no counterpart are here to say what to do instead. */
export interface AxiosRetryOptions {
  /** Becomes `maxAttempts: retries + 1`. @default 3 */
  readonly retries?: number | undefined;
  /**
   * Becomes `classify`; its yes means transient, its no permanent. What it throws, and a promise, is
   * warned about and means no. A yes does not make a POST idempotent: that is `idempotent: true` of
   * the request, or the whole list of `methods` with POST in it. @default 429 and 5xx, and the policy's own rule for errors
   */
  readonly retryCondition?: ((error: AxiosError) => boolean) | undefined;
  /** Becomes `backoff`. `Retry-After` is obeyed in any case. @default no wait */
  readonly retryDelay?: ((retryCount: number, error: AxiosError) => number) | undefined;
  /**
   * True is how `timeout` is read here: by each attempt anew. For axios-retry's default, one timeout
   * for all attempts, set `deadline` beside what `fromAxiosRetry` gives.
   */
  readonly shouldResetTimeout?: true | undefined;
  /** Becomes `onRetry`, which runs after the wait, right before the retry is sent. @default none */
  readonly onRetry?:
    | ((retryCount: number, error: AxiosError, config: Config) => unknown)
    | undefined;
  /** Read `refusalOf(error)` where the error is caught, or subscribe to `refused` events. */
  readonly onMaxRetryTimesExceeded?: undefined;
  /** Judge a status by axios' own `validateStatus`, and a body by `classify`. */
  readonly validateResponse?: null | undefined;
}

// axios gives it a name of its own from 1.2 on only.
type Config = NonNullable<AxiosError["config"]>;
type Condition = NonNullable<AxiosRetryOptions["retryCondition"]>;
type Delay = NonNullable<AxiosRetryOptions["retryDelay"]>;
type Hook = NonNullable<AxiosRetryOptions["onRetry"]>;

// What axios-retry's own condition retries.
const statuses = [429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];

/**
 * Translates options of axios-retry 4 into those of a policy. What is left out means what it means
 * there, but for two defaults, which are the policy's: which errors without a response are retried,
 * and that `timeout` is each attempt's.
 *
 * @example
 * retryBudget(instance, { ...fromAxiosRetry({ retries: 2 }), deadline: 10_000 });
 * @throws TypeError that names the option and the value, and says what to do instead.
 */
export function fromAxiosRetry(options: AxiosRetryOptions = {}): RetryPolicyOptions<AxiosHeaders> {
  const { retries, retryDelay, retryCondition, onRetry } = resolveSettings(
    options,
    checks,
    "options",
  );
  return {
    maxAttempts: retries ?? 4,
    backoff: retryDelay ?? (() => 0),
    statuses,
    classify: retryCondition,
    onRetry,
  };
}

const checks = {
  retries: (field: string, value: unknown): number => {
    // A text comes from the environment.
    const retries = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof retries !== "number" || !(retries >= 0)) {
      throw mistake(field, "a number from 0", value);
    }
    const attempts = Math.ceil(retries) + 1;
    return Number.isSafeInteger(attempts) ? attempts : Number.POSITIVE_INFINITY;
  },
  retryCondition: (field: string, value: unknown): Classify => {
    if (isAsync(value)) throw mistake(field, "a function that answers at once", value);
    return classifyBy(expectFunction<Condition>(field, value));
  },
  retryDelay: (field: string, value: unknown): BackoffFunction => {
    const delayOf = expectFunction<Delay>(field, value);
    return (attempt, { error }) => delayOf(attempt, error as AxiosError);
  },
  shouldResetTimeout: (field: string, value: unknown): true => {
    if (value === true) return value;
    const instead =
      "true or left out; for one timeout over all attempts, set `deadline` beside fromAxiosRetry()";
    throw mistake(field, instead, value);
  },
  onRetry: (field: string, value: unknown): OnRetry<AxiosHeaders> => {
    const hook = expectFunction<Hook>(field, value);
    return ({ attempt, outcome }) => {
      const error = outcome.error as AxiosError;
      return hook(attempt - 1, error, error.config as Config);
    };
  },
  onMaxRetryTimesExceeded: (field: string, value: unknown): never => {
    const instead =
      "left out; read refusalOf(error) where you catch, or subscribe to a policy's `refused` events";
    throw mistake(field, instead, value);
  },
  validateResponse: (field: string, value: unknown): null => {
    if (value === null) return value;
    const instead = "left out; judge a status by axios' `validateStatus`, a body by `classify`";
    throw mistake(field, instead, value);
  },
};

function classifyBy(condition: Condition): Classify {
  const warn = createWarner();
  const refuse = (why: string): "permanent" => {
    warn("RETRY_BUDGET_CLASSIFY", `\`retryCondition\` ${why}: there is no retry.`, why);
    return "permanent";
  };
  return (outcome) => {
    // axios-retry does not see a response that `validateStatus` accepts.
    if (!("error" in outcome)) return undefined;
    const error = outcome.error as AxiosError;
    try {
      const answer: unknown = condition(error);
      if (!isPromise(answer)) return answer ? "transient" : "permanent";
      answer.then(undefined, () => undefined);
      return refuse("gave a promise");
    } catch {
      return refuse("threw");
    }
  };
}

function expectFunction<Kind>(field: string, value: unknown): Kind {
  if (typeof value === "function") return value as Kind;
  throw mistake(field, "a function", value);
}

function isAsync(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
