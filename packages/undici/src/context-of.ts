import { AsyncResource } from "node:async_hooks";

/** The asynchronous context of the caller: undici calls back in that of whoever opened the socket. */
export function contextOf(handler: object): AsyncResource {
  // The handlers of undici's `request`, `stream` and `pipeline` hold it already.
  return isAsyncResource(handler) ? handler : new AsyncResource("RETRY_BUDGET");
}

function isAsyncResource(handler: object): handler is AsyncResource {
  // By what it does: `instanceof` takes a tenth of what the whole interceptor takes.
  return typeof (handler as Partial<AsyncResource>).runInAsyncScope === "function";
}
