import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Got, Request } from "got";

/** The body, or the error. */
export function finish(stream: Readable): Promise<unknown> {
  return text(stream).catch((error: unknown) => error);
}

/** Reads a stream with all the retries that it makes. */
export function readWithRetries(
  client: Got,
  url: string,
  options: object = {},
  watch: (stream: Request) => void = () => undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const listen = (stream: Request): void => {
      watch(stream);
      stream.once("retry", (_count: number, _error: unknown, createRetryStream: () => Request) =>
        listen(createRetryStream()),
      );
      stream.once("error", reject);
      let received = "";
      stream.on("data", (chunk: Buffer) => {
        received += chunk;
      });
      stream.once("end", () => resolve(received));
    };
    listen(client.stream(url, options) as Request);
  });
}
