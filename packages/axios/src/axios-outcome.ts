import type { Outcome, Settled } from "@retry-budget/core";
import type { Response } from "./axios-instance.js";
import { mayHaveBeenSent, transientHere, wasSent } from "./host.js";

/** What an error of axios may hold, whatever has made it. */
export interface ErrorLike extends Remains {
  readonly isAxiosError?: boolean;
  readonly __CANCEL__?: boolean;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly config?: unknown;
}

/** What an attempt that has ended may still hold. */
export interface Remains {
  readonly request?: unknown;
  readonly response?: Response | null;
}

export function outcomeOf(settled: Settled<Response>): Outcome {
  return "error" in settled ? outcomeOfError(settled.error) : outcomeOfResponse(settled.value);
}

export function remainsOf(settled: Settled<Response>): Remains {
  if ("error" in settled) return Object(settled.error);
  return { request: settled.value.request, response: settled.value };
}

/**
 * `validateStatus` has accepted it, whatever the status: that is the caller's word. Written without
 * a spread, which would be the dearest part of what a success pays.
 */
function outcomeOfResponse(response: Response): Outcome {
  const { status, headers } = response;
  return { status, response, header: (name) => readHeader(headers, name), transient: false };
}

function outcomeOfError(error: unknown): Outcome {
  const details: ErrorLike = Object(error);
  const { request, response, code, __CANCEL__ } = details;
  const aborted = __CANCEL__ === true || code === "ERR_CANCELED";
  return {
    error,
    aborted,
    ...(response ? outcomeOfResponse(response) : {}),
    sent: aborted ? wasSent(request) : mayHaveBeenSent(request),
    transient: transientHere(details) ?? (isTextOnly(details) || undefined),
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
  return Object.entries(fields).find(([field]) => field.toLowerCase() === name)?.[1];
}

/** Some platforms give a network failure nothing but a text. An unknown adapter has no config. */
function isTextOnly(error: ErrorLike): boolean {
  const { isAxiosError, code, cause, config, response, message } = error;
  // Mocks say it in xhr's words, and make an error of their own its cause.
  const isPlain = cause === undefined || message === "Network Error";
  return isAxiosError === true && isPlain && !(config === undefined || code || response);
}
