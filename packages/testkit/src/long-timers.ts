/** Counts timers of nine seconds and more that were not cleared. */
export class LongTimers {
  readonly #open = new Set<unknown>();
  readonly #set = globalThis.setTimeout;
  readonly #clear = globalThis.clearTimeout;

  constructor() {
    const watched = (callback: () => void, delay?: number, ...rest: []): NodeJS.Timeout => {
      const timer = this.#set(callback, delay, ...rest);
      if (delay !== undefined && delay >= 9000) this.#open.add(timer);
      return timer;
    };
    globalThis.setTimeout = Object.assign(watched, this.#set) as typeof setTimeout;
    globalThis.clearTimeout = ((timer?: NodeJS.Timeout) => {
      this.#open.delete(timer);
      this.#clear(timer);
    }) as typeof clearTimeout;
  }

  get open(): number {
    return this.#open.size;
  }

  restore(): void {
    globalThis.setTimeout = this.#set;
    globalThis.clearTimeout = this.#clear;
  }
}
