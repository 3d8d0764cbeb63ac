import { isMarked } from "./adapter-mark.js";
import type { Adapter } from "./axios-instance.js";
import { warnOfAdapter } from "./warnings.js";

/** Names are few, but anybody may invent some. */
const mostNames = 100;

/**
 * Notices that an interceptor has put an adapter in the place of ours, which would go without
 * retries unseen: what comes back then names one that ours never stood for.
 */
export class AdapterWatch {
  readonly #functions = new WeakSet<object>();
  readonly #names = new Set<string>();

  /** Ours stands for this adapter. */
  note(adapter: Adapter): void {
    if (typeof adapter === "function") this.#functions.add(adapter);
    else if (typeof adapter === "string" && this.#names.size < mostNames) this.#names.add(adapter);
  }

  /** @param subject a response or an error, or whatever other interceptors have made of it */
  check(subject: unknown): void {
    const { config } = Object(subject) as { config?: { adapter?: Adapter } | null };
    if (!this.#knows(config?.adapter)) warnOfAdapter();
  }

  /** A list is axios' default, which nobody sets for one request. */
  #knows(adapter: Adapter): boolean {
    if (typeof adapter === "function") return isMarked(adapter) || this.#functions.has(adapter);
    if (typeof adapter !== "string") return true;
    return this.#names.has(adapter) || this.#names.size >= mostNames;
  }
}
