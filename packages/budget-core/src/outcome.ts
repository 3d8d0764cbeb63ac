import { errorTraits } from "./error-traits.js";

/** Reads one header of a response by its lower-case name; several lines of it may come as a list. */
export type ReadHeader = (name: string) => string | readonly string[] | null | undefined;

/**
 * What an attempt produced, in words that fit every client: a response, an error or an abort.
 * Adapters write it; `classify`, `backoff` and `onRetry` read it.
 */
export interface Outcome {
  /** Status of the response, where there was one. */
  readonly status?: number | undefined;
  /** Reads one response header by its lower-case name. */
  readonly header?: ReadHeader | undefined;
  /** What the client threw. */
  readonly error?: unknown;
  /** The response that the caller gets if no retry is made; a refusal is kept beside it. */
  readonly response?: unknown;
  /** False where nothing can have reached the server; undefined leaves that to the error's code. */
  readonly sent?: boolean | undefined;
  /** Where the attempt went, if not where the request goes: a proxy that could not be reached. */
  readonly url?: string | URL | undefined;
  /** False where not even a connection was tried: a cache or a hook has answered. */
  readonly tried?: false | undefined;
  /** The client's own timer, set to what `Call.remaining()` gave, ended the attempt at the deadline. */
  readonly expired?: boolean | undefined;
  /** The caller ended the attempt. */
  readonly aborted?: boolean | undefined;
  /** The client's own word on whether another attempt may help; undefined = the policy's rule. */
  readonly transient?: boolean | undefined;
  /** The client will not send another attempt, whatever the policy says. */
  readonly final?: boolean | undefined;
  /** The wait that the client's own settings ask for, in ms; undefined = the policy's backoff. */
  readonly delay?: number | undefined;
}

/** Whether the request can have reached the server, so that it may have been acted upon. */
export function hasReachedServer({ sent, status, error }: Outcome): boolean {
  if (sent !== undefined) return sent;
  if (status !== undefined) return true;
  return !errorTraits(error).neverSent;
}
