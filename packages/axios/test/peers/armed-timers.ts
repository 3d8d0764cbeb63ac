import { until } from "@retry-budget/testkit";
import { onTestFinished, vi } from "vitest";

/** The timers that are armed from now on, so that no test has to wait for them. */
export class ArmedTimers {
  readonly #spy = vi.spyOn(globalThis, "setTimeout");

  constructor() {
    onTestFinished(() => {
      this.#spy.mockRestore();
      this.#spy.mock.results.forEach(({ value }, index) => {
        if (this.#delays[index] !== undefined) clearTimeout(value);
      });
    });
  }

  /** Resolves to the delay of the first timer that is as long. */
  async atLeast(delay: number): Promise<number> {
    const find = (): number | undefined => this.#delays.find((one) => Number(one) >= delay);
    await until(() => find() !== undefined);
    return find() ?? Number.NaN;
  }

  get #delays(): (number | undefined)[] {
    return this.#spy.mock.calls.map(([, delay]) => delay);
  }
}
