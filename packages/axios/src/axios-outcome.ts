import type { Outcome } from "@retry-budget/core";
import type { Response } from "./axios-instance.js";
import { type NodeRequest, wasWritten } from "./node-request.js";

interface AxiosErrorLike {
  readonly isAxiosError?: boolean;
  readonly __CANCEL__?: boolean;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly config?: unknown;
  readonly response?: Response | null;
  readonly request?: NodeRequest | null;
}

// axios 1.0 says that a size is exceeded, even where there is no limit.
const brokenOff = /stream has been aborted|maxContentLength size of -1 exceeded/;

/**
 * `validateStatus` has accepted it, whatever the status: that is the caller's word. Written without
 * a spread, which would be the dearest part of what a success pays.
 */
export function outcomeOfResponse(response: Response): Outcome {
  const { status, headers } = response;
  return { status, response, header: (name) => readHeader(headers, name), transient: false };
}

export function outcomeOfError(error: unknown): Outcome {
  const details: AxiosErrorLike = Object(error);
  const aborted = details.__CANCEL__ === true || details.code === "ERR_CANCELED";
  return {
    error,
    aborted,
    ...(details.response ? outcomeOfResponse(details.response) : {}),
    sent: aborted ? wasSent(details) : mayHaveBeenSent(details),
    transient: transientOf(details),
  };
}

// An adapter gives AxiosHeaders, a web Headers or a plain object, whose names may have capitals.
function readHeader(headers: unknown, name: string): string | undefined {
  const fields = Object(headers) as Record<string, unknown>;
  const { get } = fields;
  const value = typeof get === "function" ? get.call(headers, name) : findField(fields, name);
  return value === undefined || value === null ? undefined : String(value);
}

function findField(fields: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(fields).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : fields[key];
}

/** Of a request that was aborted. Those of browsers and of fetch exist from when they are sent. */
function wasSent({ request }: AxiosErrorLike): boolean {
  return typeof request?.destroy === "function" ? wasWritten(request) : Boolean(request);
}

/**
 * Undefined only where Node's own request says that no redirect was followed: a redirect has reached
 * the origin even if where it led refused the connection, and fetch follows redirects unseen.
 */
function mayHaveBeenSent({ request }: AxiosErrorLike): true | undefined {
  if (typeof request?.destroy !== "function") return true;
  return (request._redirectCount ?? 0) > 0 ? true : undefined;
}

/** What axios' own codes mean; `undefined` leaves it to the cause's code or to the status. */
function transientOf(error: AxiosErrorLike): boolean | undefined {
  const { code, cause } = error;
  const message = String(error.message);
  // xhr gives a page's abort the code of a timeout.
  if (code === "ECONNABORTED" && message === "Request aborted" && !isNode()) return false;
  // A body that broke off. "maxContentLength … exceeded" has the same code.
  if (code === "ERR_BAD_RESPONSE" && brokenOff.test(message)) return true;
  // Browsers hide the reason. In Node there is a cause, or it is a mistake such as a bad protocol.
  if (code === "ERR_NETWORK" && cause === undefined) return !isNode();
  return isTextOnly(error) ? true : undefined;
}

/** Some platforms give a network failure nothing but a text. An unknown adapter has no config. */
function isTextOnly(error: AxiosErrorLike): boolean {
  const { isAxiosError, code, cause, config, response, message } = error;
  if (isAxiosError !== true || config === undefined) return false;
  // Mocks say it in xhr's words, and make an error of their own its cause.
  const isPlain = cause === undefined || message === "Network Error";
  return isPlain && code === undefined && !response;
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}
