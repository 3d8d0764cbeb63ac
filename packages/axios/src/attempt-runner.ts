import type { Attempt, Outcome, Runner, Settled } from "@retry-budget/core";
import { AttemptToken } from "./attempt-token.js";
import type { Config, Response, Send } from "./axios-instance.js";
import { outcomeOfError, outcomeOfResponse } from "./axios-outcome.js";
import { type NodeRequest, wasWritten } from "./node-request.js";
import { sendCopy } from "./send-copy.js";
import type { Sibling } from "./sibling.js";

/** What a failed attempt may still hold, whatever adapter has made it. */
interface Remains {
  readonly request?: (NodeRequest & Disposable) | null;
  readonly response?: { readonly data?: unknown; readonly request?: Disposable | null } | null;
}

interface Disposable {
  on?(event: "error", listener: () => void): void;
  destroy?(): void;
  cancel?(): Promise<void>;
}

/** What the policy's loop needs to know of axios. */
export class AttemptRunner implements Runner<Response> {
  readonly headers: unknown;
  readonly #config: Config;
  readonly #send: Send;
  readonly #sibling: Sibling;
  readonly #contentLength: unknown;
  #token: AttemptToken | undefined;

  constructor(config: Config, send: Send, sibling: Sibling) {
    this.#config = config;
    this.#send = send;
    this.#sibling = sibling;
    this.headers = config.headers;
    this.#contentLength = config.headers.get("Content-Length");
  }

  send({ body, isTimed }: Attempt): Promise<Response> {
    const config = this.#config;
    const hasBody = body !== undefined;
    if (!hasBody && !isTimed) return this.#send(config);
    // axios has written the length of the body before into the headers.
    if (hasBody) config.headers.set("Content-Length", this.#contentLength);
    this.#token = isTimed ? new AttemptToken(config.cancelToken) : undefined;
    return sendCopy(this.#send, config, {
      data: hasBody ? body : config.data,
      cancelToken: this.#token ?? config.cancelToken,
    });
  }

  outcomeOf(settled: Settled<Response>): Outcome {
    return "error" in settled ? outcomeOfError(settled.error) : outcomeOfResponse(settled.value);
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
    return error;
  }

  /**
   * An unread stream would hold its socket, and so would an upload that the server has answered
   * before its end; with `maxSockets: 1` the retry would wait for ever.
   */
  discard(settled: Settled<Response>): void {
    const { request, response } = remainsOf(settled);
    if (!wasWritten(request)) request?.destroy?.();
    if (String(this.#config.responseType).toLowerCase() !== "stream") return;
    const body = Object(response?.data) as Disposable;
    body.on?.("error", () => undefined);
    body.destroy?.();
    // A web stream that is locked rejects.
    Promise.resolve(body.cancel?.()).catch(() => undefined);
    // axios may have wrapped the socket's stream in another one that does not pass this on.
    response?.request?.destroy?.();
  }
}

function remainsOf(settled: Settled<Response>): Remains {
  if ("error" in settled) return Object(settled.error);
  return { request: settled.value.request, response: settled.value } as Remains;
}
