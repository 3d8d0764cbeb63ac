import type { Mark } from "@retry-budget/core";

/** What a request says of itself in its headers. */
export interface IncomingMarks {
  /** Number of the attempt, from 1. */
  readonly attempt?: number | undefined;
  /** Whether the caller sends the request again if it fails. */
  readonly isRetried: boolean;
  /** Ms that the caller still waits. */
  readonly remaining?: number | undefined;
}

/** One header: what it says of an attempt, and how that is read again. */
export interface MarkHeader {
  /** In lower case. */
  readonly name: string;
  /** Undefined where there is nothing to say. */
  write(mark: Mark): string | undefined;
  /** Undefined where the text is not exactly what `write` could have made. */
  read(text: string): Partial<IncomingMarks> | undefined;
}

/** The headers of the three marks; two of them may be one and the same. */
export interface MarkHeaders {
  readonly attempt?: MarkHeader;
  readonly retried?: MarkHeader;
  readonly deadline?: MarkHeader;
  /** "I retry" once more, for a proxy that keeps it for itself. */
  readonly proxy?: MarkHeader;
}

/** What a header can be given another name for. */
export type MarkKind = Exclude<keyof MarkHeaders, "proxy">;
