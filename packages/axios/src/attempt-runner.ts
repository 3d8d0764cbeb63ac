import type { Attempt, Outcome, Runner, Settled } from "@retry-budget/core";
import { type AttemptToken, attemptToken } from "./attempt-token.js";
import type { Adapter, Config, Headers, Response, Send } from "./axios-instance.js";
import { outcomeOf, remainsOf } from "./axios-outcome.js";
import { letGo } from "./host.js";
import { type MarkedAttempt, markAttempt } from "./mark-attempt.js";
import { sendCopy } from "./send-copy.js";
import type { Sibling } from "./sibling.js";

/** What the policy's loop needs to know of axios. */
export class AttemptRunner implements Runner<Response> {
  readonly headers: unknown;
  readonly outcomeOf: (settled: Settled<Response>) => Outcome = outcomeOf;
  readonly #config: Config;
  readonly #send: Send;
  readonly #sibling: Sibling;
  readonly #adapter: () => Adapter;
  readonly #contentLength: unknown;
  #token: AttemptToken | undefined;
  #marked: MarkedAttempt | undefined;

  /** @param adapter what sends, as far as that is known before */
  constructor(config: Config, send: Send, sibling: Sibling, adapter: () => Adapter) {
    this.#config = config;
    this.#send = send;
    this.#sibling = sibling;
    this.#adapter = adapter;
    this.headers = config.headers;
    // axios searches all headers for it, which most requests need not pay for.
    if (config.data !== undefined) this.#contentLength = config.headers.get("Content-Length");
  }

  send({ body, isTimed, marks }: Attempt): Promise<Response> {
    const config = this.#config;
    const hasBody = body !== undefined;
    const marked = marks && markAttempt(config, marks, this.#adapter());
    if (!hasBody && !isTimed && marked === undefined) return this.#send(config);
    if (hasBody) restoreLength(config.headers, this.#contentLength);
    this.#token = isTimed ? attemptToken(config.cancelToken) : undefined;
    this.#marked = marked;
    const sending = sendCopy(this.#send, config, {
      data: hasBody ? body : config.data,
      cancelToken: this.#token ?? config.cancelToken,
      ...marked?.changes,
    });
    return marked === undefined ? sending : sending.finally(() => marked.takeOff());
  }

  onAbort(listener: () => void): () => void {
    const { signal, cancelToken } = this.#config;
    signal?.addEventListener?.("abort", listener);
    cancelToken?.subscribe?.(listener);
    return () => {
      signal?.removeEventListener?.("abort", listener);
      cancelToken?.unsubscribe?.(listener);
    };
  }

  abortError(): Promise<unknown> {
    return this.#sibling.cancelledError(this.#config);
  }

  async expire(time: number): Promise<unknown> {
    const error = await this.#sibling.timeoutError(this.#config, time);
    this.#token?.cancel(error);
    // The attempt may end later than the call.
    this.#marked?.takeOff();
    return error;
  }

  discard(settled: Settled<Response>): void {
    letGo(remainsOf(settled), String(this.#config.responseType).toLowerCase() === "stream");
  }
}

/** axios has written the length of the body before into the headers. */
function restoreLength(headers: Headers, length: unknown): void {
  // Not by setting undefined: axios 1.0 would then write none.
  headers.delete("Content-Length");
  if (length) headers.set("Content-Length", length);
}
