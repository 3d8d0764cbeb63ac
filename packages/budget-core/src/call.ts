import type { Decision } from "./decide.js";
import type { Outcome } from "./outcome.js";

/** What a client knows of a request before its first attempt. */
export interface CallFacts {
  /** Name of the adapter, for events. */
  readonly client: string;
  readonly method: string;
  /** Where the request goes; anything that `originOf` reads. */
  readonly url?: string | URL | undefined;
  /** The budget's key, where it is no URL that names it. */
  readonly key?: string | undefined;
  /** The value that the caller gave as `retryBudget`. */
  readonly options?: unknown;
  /** Whether the body can be sent again in full; asked at the decision. */
  isReplayable(): boolean;
  /**
   * A header of the request by its lower-case name, as the client holds it; nothing or `false`
   * where it is not set. Asked at the decision.
   */
  requestHeader?(name: string): unknown;
  /** The client's own word on idempotency, where its settings hold one; asked at the decision. */
  isIdempotent?(): boolean | undefined;
  /** The client's own limit of attempts, where it has one, asked at the decision; the policy's holds as well. */
  maxAttempts?(): number | undefined;
  /** Whether the client sends `Call.body` with a retry, where there is one. */
  readonly takesBody?: true;
  /** Whether another layer of the same client sends it again; asked at the decision. */
  isRetriedElsewhere?(): boolean;
  /** Whether the caller has ended the request; asked at the decision. */
  isAborted?(): boolean;
}

/** Why a first attempt must not be sent: the client ends the request in its own way, and settles that. */
export type Denial =
  | {
      readonly refusal: "deadline";
      /** What there was, in ms, for the client's own error for a timeout. */
      readonly time: number;
    }
  | {
      readonly refusal: "breaker";
      /** The breaker's. */
      readonly error: unknown;
    };

/**
 * One original request on its way through a policy, for clients that own their loop. `Call` keeps
 * the books: it deposits once, spends a token only when a retry is sent, and gives it back else.
 *
 * `begin()` → `sent()` → `settle(outcome)` → a refusal (over), or a retry: `sleep()` → `prepare()` → `sent()` → …
 */
export interface Call {
  /** Attempts made so far. */
  readonly attempts: number;
  /** Whether a granted retry is waiting to be sent. */
  readonly pending: boolean;
  /** Whether `prepare()` has more to do than to let a retry through. */
  readonly needsPreparing: boolean;
  /** The body that was made for the retry by the request's own `body`, once `prepare()` has ended. */
  readonly body: unknown;
  /**
   * Asked before the first attempt is handed to the client. A denial: an outer call has no time left,
   * or the circuit is open. `prepare()` asks the same before a retry.
   */
  begin(): Denial | undefined;
  /** Does work that belongs to the call: calls that it makes know that they are inside. */
  within<Result>(work: () => Result): Result;
  /** Whether `marks()` may give any: where not, clients need not ask. */
  readonly hasMarks: boolean;
  /**
   * The headers that tell the server of the attempt that is about to be sent to this URL; asked
   * again where a redirect leads.
   */
  marks(url: string | URL): Readonly<Record<string, string>> | undefined;
  /**
   * The client begins anew what another call has begun: so many attempts were made, and what goes
   * out is no original.
   */
  continue(attempts: number): void;
  /**
   * An attempt goes out. Saying it twice for one attempt is harmless. With a `url` of another
   * origin than before, a redirect led there: the first attempt deposits there as well.
   */
  sent(url?: string | URL): void;
  /**
   * What the call goes to is known by now only, and may be another with each attempt. To be said
   * before `sent()` where the original is to be counted there, and before `settle()`.
   */
  chargeTo(key: string): void;
  /**
   * What the attempt produced. Tells the policy and asks for its decision in one step; undefined
   * where nothing failed. A `final` outcome abandons a granted retry that was not sent.
   */
  settle(outcome: Outcome): Decision | undefined;
  /**
   * The short way to settle a response that has not failed, for clients whose users count
   * nanoseconds. False: this one is to be settled, as it has failed or `classify` wants to see it.
   */
  succeed(status: number): boolean;
  /** Whether it has to end in time. */
  readonly hasDeadline: boolean;
  /** Ms until the deadline, for clients with timers of their own; Infinity where there is none. */
  remaining(): number;
  /**
   * Calls back when the deadline comes, with the whole time of the call in ms; gives the way to
   * stop. For an attempt in flight: a wait ends by itself.
   */
  onDeadline(listener: (time: number) => void): () => void;
  /** Waits until the granted retry is due; ends at once when it is abandoned. */
  sleep(): Promise<void>;
  /**
   * Lets `onRetry` and the request's own `body` run. False: the retry was abandoned by now, and is
   * not to be sent.
   * @param headers the request's headers, if `onRetry` may change them
   */
  prepare(headers?: unknown): Promise<boolean>;
  /** The granted retry will not be sent: its token goes back. Harmless where none is granted. */
  abandon(): void;
}
