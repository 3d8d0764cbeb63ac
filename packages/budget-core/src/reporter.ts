import { channels } from "./channels.js";
import { contain } from "./contain.js";
import type { RetryBudgetEvent } from "./events.js";
import type { Warn } from "./warner.js";

type EventType = RetryBudgetEvent["type"];
type EventOfType<Type> = Extract<RetryBudgetEvent, { readonly type: Type }>;

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
    return this.#listeners.size > 0 || channels[type].hasSubscribers;
  }

  report<Type extends EventType>(type: Type, build: () => EventOfType<Type>): void {
    if (this.hears(type)) this.#publish(build());
  }

  #publish(event: RetryBudgetEvent): void {
    // A copy: a listener may subscribe anew while it is called.
    for (const { listener } of [...this.#listeners]) {
      contain(this.#warn, "observer", () => listener(event));
    }
    const channel = channels[event.type];
    if (channel.hasSubscribers) channel.publish(event);
  }
}
