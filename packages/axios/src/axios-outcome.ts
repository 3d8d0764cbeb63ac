import type { Outcome } from "@retry-budget/core";
import type { AxiosResponse } from "axios";

interface AxiosErrorLike {
  readonly isAxiosError?: boolean;
  readonly __CANCEL__?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
  readonly response?: AxiosResponse;
  readonly request?: { readonly _redirectCount?: number };
}

/** `validateStatus` has accepted it, whatever the status: that is the caller's word. */
export function outcomeOfResponse(response: AxiosResponse): Outcome {
  return { ...responseFields(response), transient: false };
}

export function outcomeOfError(error: unknown): Outcome {
  const details: AxiosErrorLike = Object(error);
  const aborted = details.__CANCEL__ === true || details.code === "ERR_CANCELED";
  return {
    error,
    aborted,
    ...(details.response === undefined ? {} : responseFields(details.response)),
    sent: sentOf(details),
    transient: transientOf(details),
  };
}

function responseFields(response: AxiosResponse): Outcome {
  const { status, headers } = response;
  return { status, response, header: (name) => readHeader(headers, name) };
}

// An adapter gives AxiosHeaders, a web Headers or a plain object.
function readHeader(headers: unknown, name: string): string | undefined {
  const fields = Object(headers) as Record<string, unknown>;
  const { get } = fields;
  const value = typeof get === "function" ? get.call(headers, name) : fields[name];
  return value === undefined || value === null ? undefined : String(value);
}

/** A redirect that was followed reached the origin, even if its target refused the connection. */
function sentOf({ request }: AxiosErrorLike): true | undefined {
  if (request?._redirectCount !== undefined && request._redirectCount > 0) return true;
  // fetch follows redirects unseen, so that nothing is known of the first hop.
  return typeof Request === "function" && request instanceof Request ? true : undefined;
}

/** What axios' own codes mean; `undefined` leaves it to the cause's code or to the status. */
function transientOf(error: AxiosErrorLike): boolean | undefined {
  const { code, message = "", cause } = error;
  // xhr gives a page's abort the code of a timeout.
  if (code === "ECONNABORTED" && message === "Request aborted") return false;
  // A body that broke off. "maxContentLength … exceeded" has the same code.
  if (code === "ERR_BAD_RESPONSE" && message.includes("stream has been aborted")) return true;
  // Browsers hide the reason. In Node there is a cause, or it is a mistake such as a bad protocol.
  if (code === "ERR_NETWORK" && cause === undefined) return !isNode();
  // Some platforms give a network failure nothing but a text.
  if (error.isAxiosError === true && code === undefined && cause === undefined) {
    return error.response === undefined ? true : undefined;
  }
  return undefined;
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}
