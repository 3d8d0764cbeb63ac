import { observed } from "./observed.mjs";

/**
 * An interceptor of undici's by which each attempt waits for its turn in a queue of p-queue's, and
 * holds its slot until its answer has ended. To be composed beneath the budget:
 * `compose(limitAttempts(queue), retryBudget())`.
 */
export function limitAttempts(queue) {
  return (dispatch) => (options, handler) => {
    const send = () => new Promise((free) => dispatch(options, observed(handler, free)));
    // With the signal, what was aborted in the queue takes no slot when its turn comes.
    queue
      .add(send, { signal: options.signal })
      .catch((error) => handler.onResponseError(null, error));
    return true;
  };
}
