// A registered symbol on the prototype, so that another copy of this package knows it, too.
const mark: unique symbol = Symbol.for("retry-budget.undici-attempt.v1");

/** One attempt, by whichever API undici drives it. Late events of a dead one end at its exchange. */
export interface Attempt {
  /** Whether the request was about to be written: before that, nothing can have reached the server. */
  readonly started: boolean;
  /** What the modern API has started it with. */
  readonly controller: object | undefined;
  /** Whether someone beneath us was told to abort, as undici 8 does for a request in its queue. */
  readonly aborted: boolean;
  abort(reason?: Error): void;
  pause(): void;
  resume(): void;
}

/** Whether a retry budget further out has this request: the first to act keeps it. */
export function isAttempt(handler: object): boolean {
  return (handler as { readonly [mark]?: true })[mark] === true;
}

export function markAttempt(prototype: object): void {
  Object.defineProperty(prototype, mark, { value: true });
}
