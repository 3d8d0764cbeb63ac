import { channels } from "./channels.js";
import { contain } from "./contain.js";
import type { EventFields, RetryBudgetEvent } from "./events.js";
import type { Warn } from "./warnings.js";

type EventType = RetryBudgetEvent["type"];
type EventOfType<Type> = Extract<RetryBudgetEvent, { readonly type: Type }>;
/** What an event holds besides the fields of all. */
type Rest<Type> = Omit<EventOfType<Type>, keyof EventFields | "type">;

export type Listener = (event: RetryBudgetEvent) => void;

/** Hands events to listeners and channels, and builds none where nobody listens. */
export class Reporter {
  readonly #listeners = new Set<{ readonly listener: Listener }>();
  readonly #warn: Warn;

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  subscribe(listener: Listener): () => void {
    // The wrapper lets one function subscribe twice and leave once.
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Asked first where most requests pass: nothing is made for nobody. */
  hears(type: EventType): boolean {
    return this.#listeners.size > 0 || channels[type]?.hasSubscribers === true;
  }

  /** @param of the account, whose balance is asked for only where somebody listens */
  report<Type extends EventType>(
    type: Type,
    of: { readonly origin: string; readonly balance: number },
    rest?: Rest<Type>,
  ): void {
    if (!this.hears(type)) return;
    const { origin, balance } = of;
    const event = { v: 1, type, origin, balance, ...rest } as unknown as RetryBudgetEvent;
    // A copy: a listener may subscribe anew while it is called.
    for (const { listener } of [...this.#listeners]) {
      contain(this.#warn, "observer", () => listener(event));
    }
    channels[type]?.publish(event);
  }
}
