/** p-retry has no error of its own for what takes too long: the one of `AbortSignal.timeout()`. */
export function timeoutError(): DOMException {
  return new DOMException("The operation was aborted due to timeout", "TimeoutError");
}
