import { type Call, refusalCarrier, refusalOf } from "@retry-budget/core";
import { headersTimeoutError } from "./timeout-errors.js";

/** What undici gives for an abort without a reason. It is not imported, so it is made alike. */
export function abortedError(): Error {
  return Object.assign(new Error("Request aborted"), {
    name: "AbortError",
    code: "UND_ERR_ABORTED",
  });
}

const abandoned = "RETRY_BUDGET_ABANDONED";

/** For a retry that was given up after the response it replaces had been let go. */
export function abandonedError(status: number, call: Call): Error {
  const message =
    `The retry of a response with status ${status} was given up, after the response was let go: ` +
    "`onRetry` or the request's `body` failed (a warning says how), the circuit opened, or the " +
    "deadline has passed";
  return Object.assign(new Error(message), {
    name: "RetryAbandonedError",
    code: abandoned,
    statusCode: status,
    context: { [refusalCarrier]: call },
  });
}

/**
 * What is left of a retry that was not sent: the failure that it was made for. Where that is a
 * response, and was let go, a deadline gives undici's own error for a timeout.
 */
export function givenUpError(failure: Error, call: Call): Error {
  const isLate = refusalOf(call)?.refusal === "deadline";
  const { code } = failure as { code?: unknown };
  return isLate && code === abandoned ? withCause(headersTimeoutError(), failure) : failure;
}

/**
 * A retry that fails for another reason (a closed agent) must not hide what it was made for. Only
 * for errors that were made for this very dispatch: others belong to several requests.
 */
export function withCause(error: Error, failure: Error | undefined): Error {
  if (error !== failure && failure !== undefined && error.cause === undefined) {
    Reflect.set(error, "cause", failure);
  }
  return error;
}
