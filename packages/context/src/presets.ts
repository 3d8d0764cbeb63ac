import type { Mark } from "@retry-budget/core";
import { readGrpcTimeout, writeGrpcTimeout } from "./grpc-timeout.js";
import type { MarkHeader, MarkHeaders } from "./mark-header.js";
import { flag, plainHeader } from "./plain-header.js";
import { readWholeNumber, writeWholeNumber } from "./whole-number.js";

/** Whose headers the marks are written in. */
export type Preset = "envoy" | "grpc" | "aws";

/** Counts the attempts before this one; absent on the first. */
const previousAttempts: MarkHeader = {
  name: "grpc-previous-rpc-attempts",
  write: ({ attempt }) => (attempt > 1 ? writeWholeNumber(attempt - 1) : undefined),
  read: (text) => {
    const previous = readWholeNumber(text);
    return previous === undefined ? undefined : { attempt: previous + 1 };
  },
};

const grpcTimeout: MarkHeader = {
  name: "grpc-timeout",
  write: ({ remaining }) =>
    remaining < Number.POSITIVE_INFINITY ? writeGrpcTimeout(remaining) : undefined,
  read: (text) => {
    const remaining = readGrpcTimeout(text);
    return remaining === undefined ? undefined : { remaining };
  },
};

// The SDKs for Java and C++ put a time before it, by the clock of the client: of no use here.
const sdkRequestForm = /^(?:ttl=\d{8}T\d{6}Z; )?attempt=(\d{1,9})(?:; max=(\d{1,9}))?$/;

/** The number and "I retry" in one. */
const sdkRequest: MarkHeader = {
  name: "amz-sdk-request",
  write: (mark) =>
    `attempt=${writeWholeNumber(mark.attempt)}; max=${writeWholeNumber(mostOf(mark))}`,
  read: (text) => {
    const [, number, most] = sdkRequestForm.exec(text) ?? [];
    const attempt = readWholeNumber(number) ?? 0;
    return attempt > 0 ? { attempt, isRetried: (readWholeNumber(most) ?? 0) > 1 } : undefined;
  },
};

function mostOf({ attempt, maxAttempts, isRetried }: Mark): number {
  // What a caller further up retries may be the only attempt of this one.
  return isRetried ? Math.max(maxAttempts, attempt, 2) : 1;
}

/** What a preset has no header for goes under our own name. */
export const presets: Record<Preset, MarkHeaders> = {
  envoy: {
    attempt: plainHeader.attempt("x-envoy-attempt-count"),
    deadline: plainHeader.deadline("x-envoy-expected-rq-timeout-ms"),
    // Envoy is not to retry then. It takes the header away: the server needs another one.
    proxy: flag("x-envoy-max-retries", "0"),
  },
  grpc: { attempt: previousAttempts, deadline: grpcTimeout },
  aws: { attempt: sdkRequest, retried: sdkRequest },
};

export const presetNames: readonly string[] = Object.keys(presets);
