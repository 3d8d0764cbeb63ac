import type { ErrorLike, Remains } from "./axios-outcome.js";
import { transientHere as transientInBrowser } from "./host.browser.js";

/**
 * What depends on where axios runs. This file knows Node, and the rest as well; a bundle for
 * browsers takes host.browser.ts in its place.
 */

/** A request of node:http, or of follow-redirects around it. */
interface NodeRequest {
  readonly destroy?: unknown;
  readonly writableFinished?: boolean;
  readonly _redirectCount?: number;
  readonly _currentRequest?: NodeRequest;
}

interface Disposable {
  on?(event: "error", listener: () => void): void;
  destroy?(): void;
  cancel?(): Promise<void>;
}

// axios 1.0 says that a size is exceeded, even where there is no limit.
const brokenOff = /stream has been aborted|maxContentLength size of -1 exceeded/;

/** Of a request that was aborted. Those of browsers and of fetch exist from when they are sent. */
export function wasSent(request: unknown): boolean {
  return isNodeRequest(request) ? wasWritten(request) : Boolean(request);
}

/**
 * Undefined only where Node's own request says that no redirect was followed: a redirect has reached
 * the origin even if where it led refused the connection, and fetch follows redirects unseen.
 */
export function mayHaveBeenSent(request: unknown): true | undefined {
  if (!isNodeRequest(request)) return true;
  return (request._redirectCount ?? 0) > 0 ? true : undefined;
}

/** What axios' own codes mean here; `undefined` leaves it to the cause's code or to the status. */
export function transientHere(error: ErrorLike): boolean | undefined {
  const { code, cause, message, request } = error;
  if (isXhr(request) || !isNode()) return transientInBrowser(error);
  // A body that broke off. "maxContentLength … exceeded" has the same code.
  if (code === "ERR_BAD_RESPONSE" && brokenOff.test(String(message))) return true;
  // There is a cause, or it is a mistake such as a bad protocol.
  return code === "ERR_NETWORK" && cause === undefined ? false : undefined;
}

/**
 * An unread stream would hold its socket, and so would an upload that the server has answered before
 * its end; with `maxSockets: 1` the retry would wait for ever.
 */
export function letGo({ request, response }: Remains, isStream: boolean): void {
  if (!wasWritten(Object(request))) destroy(request);
  if (!isStream) return;
  const body = Object(response?.data) as Disposable;
  body.on?.("error", () => undefined);
  body.destroy?.();
  // A web stream that is locked rejects.
  Promise.resolve(body.cancel?.()).catch(() => undefined);
  // axios may have wrapped the socket's stream in another one that does not pass this on.
  destroy(response?.request);
}

function destroy(request: unknown): void {
  (request as Disposable | null | undefined)?.destroy?.();
}

function isNodeRequest(request: unknown): request is NodeRequest {
  return typeof (request as NodeRequest | null | undefined)?.destroy === "function";
}

/** Whether all of it was handed to the system. */
function wasWritten(request: NodeRequest): boolean {
  return (request._currentRequest ?? request).writableFinished === true;
}

// Of jsdom or of Electron's pages, which are in Node and see no more than a browser does.
function isXhr(request: unknown): boolean {
  return "readyState" in Object(request);
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}
