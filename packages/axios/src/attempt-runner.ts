import type { Attempt, Outcome, Runner, Settled } from "@retry-budget/core";
import type { AxiosResponse } from "axios";
import { AttemptToken } from "./attempt-token.js";
import type { Config, Send } from "./axios-instance.js";
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
export class AttemptRunner implements Runner<AxiosResponse> {
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

  send({ body, isTimed }: Attempt): Promise<AxiosResponse> {
    const changes: Partial<Config> = {};
    if (body !== undefined) {
      changes.data = body;
      // Axios has written the length of the body before into the headers.
      this.#config.headers.set("Content-Length", this.#contentLength as never);
    }
    if (isTimed) {
      this.#token = new AttemptToken(this.#config.cancelToken);
      changes.cancelToken = this.#token as never;
    }
    const isChanged = body !== undefined || isTimed;
    return isChanged ? sendCopy(this.#send, this.#config, changes) : this.#send(this.#config);
  }

  outcomeOf(settled: Settled<AxiosResponse>): Outcome {
    return "error" in settled ? outcomeOfError(settled.error) : outcomeOfResponse(settled.value);
  }

  onAbort(listener: () => void): () => void {
    const { signal, cancelToken } = this.#config;
    // axios' signal is a generic one: React Native's has no listeners.
    signal?.addEventListener?.("abort", listener);
    const token = cancelToken as { subscribe?: Subscribe; unsubscribe?: Subscribe } | undefined;
    token?.subscribe?.(listener);
    return () => {
      signal?.removeEventListener?.("abort", listener);
      token?.unsubscribe?.(listener);
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
  discard(settled: Settled<AxiosResponse>): void {
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

function remainsOf(settled: Settled<AxiosResponse>): Remains {
  if ("error" in settled) return Object(settled.error);
  return { request: settled.value.request, response: settled.value };
}

type Subscribe = (listener: () => void) => void;
