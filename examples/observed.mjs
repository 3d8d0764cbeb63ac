/**
 * Passes on all that undici (7 and later) tells a handler, and tells of the attempt's end: whether
 * an error has ended it, and its status where there was an answer.
 */
export function observed(handler, onEnd) {
  let status;
  return {
    onRequestStart: (controller, context) => handler.onRequestStart(controller, context),
    onRequestUpgrade: (controller, code, headers, socket) => {
      // Nothing else comes of it.
      onEnd({ status: code });
      return handler.onRequestUpgrade(controller, code, headers, socket);
    },
    onResponseStart: (controller, code, headers, message) => {
      status = code;
      return handler.onResponseStart(controller, code, headers, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData(controller, chunk),
    onResponseEnd: (controller, trailers) => {
      onEnd({ status });
      return handler.onResponseEnd(controller, trailers);
    },
    onResponseError: (controller, error) => {
      onEnd({ status, error, isAborted: controller?.aborted === true });
      return handler.onResponseError(controller, error);
    },
  };
}
