interface Stream {
  rawListeners(event: "retry"): unknown[];
  removeListener(event: "retry", listener: Listener): unknown;
  once(event: "retry", listener: Listener): unknown;
}

type Create = (...args: unknown[]) => unknown;
type Listener = (count: number, error: unknown, create?: Create) => void;

/**
 * Tells of the stream that the caller makes by `createRetryStream`, which shows its requests and its
 * end by itself only. In the place of the caller's listener, as got allows one (got #1852).
 */
export function hearRetryStream(stream: Stream, hear: (next: unknown) => void): void {
  const [listener] = stream.rawListeners("retry") as Listener[];
  if (listener === undefined) return;
  stream.removeListener("retry", listener);
  stream.once("retry", (count, error, create) => {
    const createAndHear: Create = (...args) => {
      const next = create?.(...args);
      hear(next);
      return next;
    };
    // got 11 has none.
    listener.call(stream, count, error, create && createAndHear);
  });
}
