import { createWarner } from "@retry-budget/core";

const code = "RETRY_BUDGET_LAYER";
const leaveOut = "Leave `interceptors.retry` and `RetryAgent` out.";

/** Warns, once for each kind, of a layer in the same stack that multiplies what the budget limits. */
export class LayerWatch {
  readonly #warn = createWarner();

  /** What the interceptor was composed on: its name shows where nothing wraps it (undici 6, 8). */
  composed(dispatch: { readonly name: string }): void {
    if (dispatch.name === "retryInterceptor") this.#warnOfRetryInside();
  }

  /** A redirect beneath gives the history of its hops. */
  started(context: { readonly history?: unknown }): void {
    if (!Array.isArray(context.history)) return;
    const message =
      "Redirects are followed inside the retry budget: a retry would follow the whole chain once " +
      "more, on account of its first origin. Compose `interceptors.redirect` after " +
      "`retryBudget()`, which is there once, and leave undici 6's `maxRedirections` out.";
    this.#warn(code, message, "redirect");
  }

  /**
   * A retry above is the handler that gets the failure. One beneath has a controller of its own
   * (undici 7, 8), and an error.
   */
  failed(handler: object, controller: object | undefined, error: unknown): void {
    if (handler.constructor?.name === "RetryHandler") {
      const message = `undici's own retry is composed outside the retry budget: it sends again what the budget has refused. ${leaveOut}`;
      this.#warn(code, message, "outside");
      // What it throws comes back to us as the error of the attempt.
      return;
    }
    const { code: errorCode } = Object(error) as { code?: unknown };
    if (controller?.constructor?.name === "RetryController" || errorCode === "UND_ERR_REQ_RETRY") {
      this.#warnOfRetryInside();
    }
  }

  /** Something beneath has started an attempt twice. */
  repeated(): void {
    const message =
      "A request was sent again inside the retry budget, which does not see it: by undici's own " +
      `retry, or by \`pipelining\` above 1. ${leaveOut}`;
    this.#warn(code, message, "inside");
  }

  #warnOfRetryInside(): void {
    const message = `undici's own retry is composed inside the retry budget: it sends again what the budget does not see. ${leaveOut}`;
    this.#warn(code, message, "inside");
  }
}
