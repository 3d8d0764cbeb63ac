import { isReplayableBody } from "@retry-budget/core";

interface StreamState {
  readonly pipe?: unknown;
  readonly readableDidRead?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: unknown;
}

/** Whether undici can send this body once more: also a stream that nothing was read from. */
export function isReplayable(body: unknown): boolean {
  return isReplayableBody(body) || isUntouchedStream(body);
}

function isUntouchedStream(body: unknown): boolean {
  const { pipe, readableDidRead, destroyed, errored } = body as StreamState;
  return (
    typeof pipe === "function" &&
    readableDidRead === false &&
    destroyed === false &&
    errored === null
  );
}
