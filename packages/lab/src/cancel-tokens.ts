import axios, { type CancelToken } from "axios";

/** A token that is cancelled when the signal fires. */
export function cancelTokenOf(signal: AbortSignal): CancelToken {
  return new axios.CancelToken((cancel) => {
    signal.addEventListener("abort", () => cancel(), { once: true });
  });
}

/** How many listeners a token has: axios keeps them in a field of its own. */
export function subscribersOf(token: CancelToken): number {
  const listeners: readonly unknown[] | null | undefined = Reflect.get(token, "_listeners");
  return listeners?.length ?? 0;
}
