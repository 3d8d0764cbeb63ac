import { longestTimer, resolveBackoff } from "./backoff.js";
import {
  type Check,
  expectArray,
  expectBoolean,
  expectFunction,
  expectThat,
  integerFrom,
  numberFrom,
  oneOf,
} from "./expect.js";
import { type Fields, upTo } from "./fields.js";
import { isToken } from "./is-token.js";
import { aTime, aWholeNumber, httpMethods, mistake } from "./mistake.js";
import { expectSource, registryFields } from "./registry-fields.js";

export const expectAttempts: Check<number> = expectThat(
  (value) => (value === Number.POSITIVE_INFINITY || Number.isInteger(value)) && Number(value) >= 1,
  aWholeNumber(1, Number.MAX_SAFE_INTEGER),
);

export const expectDeadline: Check<number> = expectThat(
  (value) => typeof value === "number" && value > 0,
  aTime,
);

/** All options of a policy. */
export const policyFields: Fields = {
  ...registryFields,
  budgets: [expectSource],
  depositOn: [oneOf("request", "success"), "request"],
  maxAttempts: [expectAttempts, 3],
  random: [boundedRandom, Math.random],
  backoff: [(_, value, { random }) => resolveBackoff(value, random as () => number), {}],
  maxRetryAfter: [numberFrom(0, longestTimer), 30_000],
  deadline: [expectDeadline, Number.POSITIVE_INFINITY],
  minAttemptTime: [upTo("deadline", "minAttemptTime"), 0],
  oneLayer: [expectBoolean, true],
  marks: [expectFunction],
  breakers: [expectSource],
  methods: [resolveMethods, ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]],
  statuses: [resolveStatuses, [408, 413, 425, 429, 500, 502, 503, 504]],
  idempotencyKey: [expectBoolean, true],
  classify: [expectFunction],
  onRetry: [expectFunction],
};

// A number out of range must not make a wait shorter than the server asked for.
function boundedRandom(field: string, value: unknown): () => number {
  const random = expectFunction(field, value) as () => number;
  return () => {
    const drawn = random();
    return drawn >= 0 && drawn <= 1 ? drawn : 1;
  };
}

function resolveMethods(field: string, value: unknown): ReadonlySet<string> {
  const methods = expectArray(field, value).map((method) => {
    if (isToken(method)) return method.toUpperCase();
    throw mistake(field, httpMethods, value);
  });
  return new Set(methods);
}

function resolveStatuses(field: string, value: unknown): ReadonlySet<number> {
  const expectStatus = integerFrom(400, 599);
  return new Set(expectArray(field, value).map((status) => expectStatus(field, status)));
}
