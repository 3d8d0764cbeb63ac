import type { ErrorLike, Remains } from "./axios-outcome.js";

/** host.ts for browsers alone: requests exist from when they are sent, and nothing says why one failed. */
export const wasSent: (request: unknown) => boolean = Boolean;
export const mayHaveBeenSent = (): true => true;

export function transientHere({ code, message, cause, request }: ErrorLike): boolean | undefined {
  // xhr gives a page's abort the code of a timeout.
  if (message === "Request aborted") return false;
  // The server may be down, the page offline, or CORS may forbid the answer.
  if (code === "ERR_NETWORK") return true;
  // A body that broke off under fetch.
  return (code === undefined && cause instanceof TypeError && request !== undefined) || undefined;
}

export function letGo({ response }: Remains, isStream: boolean): void {
  const body = Object(response?.data) as { cancel?(): Promise<void> };
  if (isStream) Promise.resolve(body.cancel?.()).catch(() => undefined);
}
