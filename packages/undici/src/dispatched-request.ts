import type { Call, CallFacts } from "@retry-budget/core";
import type { Dispatcher } from "undici";
import type { Attempt } from "./attempt.js";
import type { CoreWatch } from "./core-watch.js";
import type { LayerWatch } from "./layer-watch.js";
import { MadeBody } from "./made-body.js";
import { markedHeaders } from "./marked-headers.js";
import { type AttemptBody, isReusable, RequestBody } from "./request-body.js";
import { headerOf, withReusableHeaders } from "./request-headers.js";
import type { Dispatch, DispatchHandler } from "./undici-handlers.js";

type DispatchOptions = Dispatcher.DispatchOptions;

/** What the interceptor knows of every request that comes through it. */
export interface Interception {
  /** What the interceptor is composed on. */
  readonly dispatch: Dispatch;
  /** The origin of the dispatcher, where undici tells it (8: Client and Pool). */
  readonly origin: string | undefined;
  /** The origin or the name that was set for the dispatcher. */
  readonly named: string | undefined;
  /** The budget of requests whose origin is not known. */
  readonly key: string;
  /** Most bytes kept of a body that can be read once. */
  readonly recordLimit: number;
  readonly layers: LayerWatch;
  readonly core: CoreWatch;
}

/** The request that these options describe. Its constructor only assigns: V8 inlines that. */
export function dispatchedRequest(
  dispatched: DispatchOptions,
  interception: Interception,
): DispatchedRequest {
  const { body } = dispatched;
  const own = isReusable(body) ? undefined : new RequestBody(body, interception.recordLimit);
  return new DispatchedRequest(withReusableHeaders(dispatched), own, interception);
}

/** A request as it was dispatched: its facts for the policy, and the options of each attempt. */
export class DispatchedRequest implements CallFacts {
  readonly #interception: Interception;
  /** As it was: an interceptor beneath may write another into the same options. */
  readonly #origin: DispatchOptions["origin"];
  #dispatched: DispatchOptions;
  #body: AttemptBody | undefined;

  constructor(
    dispatched: DispatchOptions,
    body: AttemptBody | undefined,
    interception: Interception,
  ) {
    this.#interception = interception;
    this.#origin = dispatched.origin;
    this.#dispatched = dispatched;
    this.#body = body;
  }

  // No fields of their own: there is one such object for every request.
  get client(): string {
    return "undici";
  }

  get takesBody(): true {
    return true;
  }

  get url(): string | URL | undefined {
    return this.#origin ?? this.#interception.origin;
  }

  get key(): string | undefined {
    const { origin, named, key } = this.#interception;
    const own = this.#origin;
    if (own === undefined || own === null) return named ?? (origin === undefined ? key : undefined);
    // undici 8 writes the origin of a Client or Pool into each request; 6 and 7 leave it out.
    return named !== undefined && own === origin ? named : undefined;
  }

  get layers(): LayerWatch {
    return this.#interception.layers;
  }

  get core(): CoreWatch {
    return this.#interception.core;
  }

  get method(): string {
    return this.#dispatched.method;
  }

  /** The request's own `retryBudget`. */
  get options(): DispatchOptions["retryBudget"] {
    return this.#dispatched.retryBudget;
  }

  /** The options of a request that is sent once: its body is undici's alone. */
  get dispatched(): DispatchOptions {
    return this.#dispatched;
  }

  /** Its body, where sending uses it up. */
  get body(): AttemptBody | undefined {
    return this.#body;
  }

  isIdempotent(): boolean | undefined {
    return this.#dispatched.idempotent ?? undefined;
  }

  requestHeader(name: string): unknown {
    return headerOf(this.#dispatched.headers, name);
  }

  isReplayable(): boolean {
    return this.#body === undefined || this.#body.isReplayable();
  }

  /** Dispatches one more attempt of the call. */
  send(attempt: Attempt, call: Call): boolean {
    const { dispatch } = this.#interception;
    const options = this.#marked(this.#read(), attempt, call);
    // The types of each major know one of the two handler APIs in full, and the other in part.
    return dispatch(options, attempt as unknown as DispatchHandler);
  }

  /** Calls back when the caller's signal is aborted; gives the way to stop. */
  onAbort(listener: (reason: Error) => void): () => void {
    const { signal } = this.#dispatched as { signal?: unknown };
    if (!(signal instanceof AbortSignal)) return () => undefined;
    const tell = (): void => listener(signal.reason);
    signal.addEventListener("abort", tell);
    if (signal.aborted) tell();
    return () => signal.removeEventListener("abort", tell);
  }

  /** The next attempt sends this body, which was made for it. */
  renew(body: unknown): void {
    const isSame = body === this.#dispatched.body;
    this.#body?.release();
    this.#body = isReusable(body) ? undefined : new MadeBody(Object(body), isSame);
    this.#dispatched = { ...this.#dispatched, body: body as NonNullable<DispatchOptions["body"]> };
  }

  #marked(options: DispatchOptions, attempt: Attempt, call: Call): DispatchOptions {
    const url = this.url ?? this.#namedUrl;
    const marks = url === undefined ? undefined : call.marks(url);
    if (marks === undefined) return options;
    const headers = markedHeaders(options.headers, marks, () => attempt.started);
    return { ...options, headers: headers as NonNullable<DispatchOptions["headers"]> };
  }

  /** What was set for a Client or a Pool may be no more than a name. */
  get #namedUrl(): string | undefined {
    const { named } = this.#interception;
    return named !== undefined && URL.canParse(named) ? named : undefined;
  }

  /** The options of one more attempt. */
  #read(): DispatchOptions {
    if (this.#body === undefined) return this.#dispatched;
    // By spreading: undici hands itself options under symbols.
    return { ...this.#dispatched, body: this.#body.read() as NonNullable<DispatchOptions["body"]> };
  }
}
