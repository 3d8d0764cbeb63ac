import type { AxiosRequestConfig } from "axios";
import { type Agent, fetch, Request, Response } from "undici";

/** One of the ways in which axios is used. */
export interface SoakFlavour {
  readonly config: AxiosRequestConfig;
  readonly cancels: "signal" | "token";
  /**
   * Whether an error for an abort in flight has the request, which tells whether it was written. Of
   * the others the books know the end of an attempt only: they are aborted between attempts.
   */
  readonly tellsWritten: boolean;
}

/**
 * Ms that only what hangs takes, also where the machine stalls at the start: what has timed out
 * before it was sent looks to a caller of axios as if it had been.
 */
const timeout = 5000;
/** Ms; for the whole call, which has no other end if the server does not answer. */
const deadline = 5000;

/** @param agent whose connections the fetch adapter takes */
export function soakFlavours(agent: Agent): readonly SoakFlavour[] {
  const env = {
    // One for all: axios keeps whatever it is given.
    fetch: (input: Request, init?: object) => fetch(input, { ...init, dispatcher: agent }),
    Request,
    Response,
  };
  // The types are those of the built-in fetch, of which undici is a younger version.
  const byFetch = { adapter: "fetch", timeout, env: env as object };
  const signal = { cancels: "signal", tellsWritten: true } as const;
  const token = { cancels: "token", tellsWritten: false } as const;
  return [
    { ...signal, config: { timeout } },
    { ...signal, config: { timeout, responseType: "stream" } },
    { ...signal, config: { retryBudget: { deadline } } },
    { ...token, config: { timeout, responseType: "arraybuffer" } },
    { ...token, config: byFetch },
    { ...signal, tellsWritten: false, config: { ...byFetch, responseType: "stream" } },
  ];
}
