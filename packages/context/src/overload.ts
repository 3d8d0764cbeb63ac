import type { AttemptSnapshot } from "./attempt-histogram.js";
import type { MarkHeader } from "./mark-header.js";
import { presets } from "./presets.js";

/** An answer to send. */
export interface Overload {
  readonly status: 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

// Fewer show nothing: one retry among four requests is no storm.
const fewest = 10;

const plain: Overload = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "Overloaded.\n",
};

/**
 * The third measure of the SRE book's "Handling Overload": where many requests are retries, others
 * are overloaded as well, and more retries help nobody.
 * @param known the headers that are read: their owners' clients are told in their own way
 */
export function answerOverload(
  { total, retryShare }: AttemptSnapshot,
  mostRetries: number,
  known: readonly MarkHeader[],
): Overload {
  if (total < fewest || retryShare <= mostRetries) return plain;
  const speaksGrpc = known.some((header) => header === presets.grpc.attempt);
  return {
    status: 503,
    headers: {
      ...plain.headers,
      "x-should-retry": "false",
      ...(speaksGrpc && { "grpc-retry-pushback-ms": "-1" }),
    },
    body: "Overloaded; do not retry.\n",
  };
}
