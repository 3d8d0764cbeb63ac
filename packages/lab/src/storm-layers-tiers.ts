import { AskedProcess } from "./asked-process.js";
import type { LayerPolicyName } from "./storm-layers-plan.js";
import type { TierQuestion } from "./storm-layers-tier.js";
import type { Answer } from "./storm-server.js";
import { StormServerProcess } from "./storm-server-process.js";

/** Three tiers, each a process, each calling the next one; the last one is in outage. */
export class Tiers {
  readonly #last = new StormServerProcess();
  readonly #callers: AskedProcess<TierQuestion, number>[] = [];
  #lastPort = 0;

  /** Where users call. */
  async start(policy: LayerPolicyName): Promise<string> {
    this.#lastPort = await this.#last.open();
    await this.#last.fail(this.#lastPort);
    const second = await this.#startCaller(policy, urlOf(this.#lastPort));
    return this.#startCaller(policy, second);
  }

  /** What the last tier received. */
  countLast(): Promise<Answer> {
    return this.#last.count(this.#lastPort);
  }

  /** What the tiers before it received, the first one first. */
  async countCallers(): Promise<number[]> {
    return Promise.all(this.#callers.map((caller) => caller.ask("received")));
  }

  stop(): void {
    for (const caller of this.#callers) caller.stop();
    this.#last.stop();
  }

  async #startCaller(policy: LayerPolicyName, next: string): Promise<string> {
    const module = new URL("./storm-layers-tier.js", import.meta.url);
    const caller = new AskedProcess<TierQuestion, number>(module, { args: [policy, next] });
    this.#callers.unshift(caller);
    return urlOf(await caller.ask("port"));
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/`;
}
