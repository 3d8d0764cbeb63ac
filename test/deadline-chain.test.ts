import { expect, onTestFinished, test, vi } from "vitest";
import { AskedProcess } from "../packages/lab/src/asked-process.js";

// Three processes start on what may be a busy machine.
vi.setConfig({ testTimeout: 60_000 });

interface Seen {
  /** `retry-budget-deadline` of each request, in the order of their coming. */
  readonly deadlines: (string | undefined)[];
  /** How each was answered. */
  readonly ends: { readonly status: number; readonly code?: string; readonly refusal?: string }[];
}

interface TierOptions {
  /** Ms that it takes before it calls the next one, or answers. */
  readonly spends?: number;
  /** Whether it waits, before it does so, until it is released and has no time left. */
  readonly isHeld?: boolean;
  readonly deadline?: number;
  readonly minAttemptTime?: number;
}

class Tier {
  readonly url: string;
  readonly #process: AskedProcess<string, unknown>;

  private constructor(process: AskedProcess<string, unknown>, port: unknown) {
    this.#process = process;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param next the tier that it calls; without one it answers 503 */
  static async start(options: TierOptions, next?: Tier): Promise<Tier> {
    const args = [JSON.stringify({ ...options, next: next?.url })];
    const module = new URL("./deadline-tier.mjs", import.meta.url);
    const process = new AskedProcess<string, unknown>(module, { args });
    onTestFinished(() => process.stop());
    return new Tier(process, await process.ask("port"));
  }

  async release(): Promise<void> {
    await this.#process.ask("release");
  }

  /** After all that has come to it has ended. */
  async seen(): Promise<Seen> {
    return (await this.#process.ask("seen")) as Seen;
  }
}

interface Chain {
  readonly edge: Tier;
  readonly second: Tier;
  readonly third: Tier;
}

/** A user calls the edge, this the second tier, and this the third, each a process. */
async function startChain(
  edge: TierOptions,
  second: TierOptions,
  third: TierOptions = {},
): Promise<Chain> {
  const last = await Tier.start(third);
  const middle = await Tier.start(second, last);
  return { edge: await Tier.start(edge, middle), second: middle, third: last };
}

async function numbersOf(tier: Tier): Promise<number[]> {
  return (await tier.seen()).deadlines.map(Number);
}

test("300 ms at the edge are 300 ms at the third tier, minus the time spent", async () => {
  const { edge, second, third } = await startChain({ deadline: 300 }, { spends: 50 });
  // The first request opens connections and has code compiled: of 300 ms that may be the most.
  await fetch(edge.url);
  const before = { second: await numbersOf(second), third: await numbersOf(third) };
  await fetch(edge.url);
  const [first] = (await numbersOf(second)).slice(before.second.length);

  // On a busy machine the time may not be enough for all three attempts.
  const left = (await numbersOf(third)).slice(before.third.length);
  expect(left.length).toBeGreaterThanOrEqual(1);
  for (const [index, ms] of left.entries()) {
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(300 - 50 * (index + 1));
  }
  expect(first).toBeLessThanOrEqual(300);
  expect(first).toBeGreaterThan(left[0] ?? 300);
});

test("each attempt of the edge brings the third tier less time than the one before", async () => {
  const { edge, second, third } = await startChain({ deadline: 20_000 }, { spends: 50 });
  const response = await fetch(edge.url);
  expect(await response.json()).toEqual({ status: 503, refusal: "attempts" });

  const left = await numbersOf(third);
  expect(left).toHaveLength(3);
  const [first = 0, again = 0, last = 0] = left;
  expect(first).toBeLessThanOrEqual(19_950);
  expect(again).toBeLessThanOrEqual(first - 50);
  expect(last).toBeLessThanOrEqual(again - 50);
  // The second tier does not retry: the edge says that it does.
  const { ends } = await second.seen();
  expect(ends).toEqual(Array(3).fill({ status: 503, refusal: "layer" }));
});

test("a user of the edge gets a 504 when its time is over, and a third tier gets nothing after that", async () => {
  const { edge, second, third } = await startChain({ deadline: 300 }, { isHeld: true });
  const begin = performance.now();
  const response = await fetch(edge.url);
  const spent = performance.now() - begin;
  expect(await response.json()).toEqual({
    status: 504,
    code: "UND_ERR_HEADERS_TIMEOUT",
    refusal: "deadline",
  });
  expect(spent).toBeGreaterThan(295);
  expect(spent).toBeLessThan(3000);

  // Only now the second tier gets round to calling the third.
  await second.release();
  const { deadlines, ends } = await second.seen();
  expect(deadlines).toHaveLength(1);
  expect(ends).toEqual([{ status: 504, code: "UND_ERR_HEADERS_TIMEOUT", refusal: "deadline" }]);
  expect(await third.seen()).toEqual({ deadlines: [], ends: [] });
});

test("what a slow third tier answers after the deadline is not asked for again", async () => {
  const { edge, second, third } = await startChain({ deadline: 300 }, {}, { isHeld: true });
  const begin = performance.now();
  const response = await fetch(edge.url);
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ refusal: "deadline" });
  expect(performance.now() - begin).toBeLessThan(3000);

  const { ends } = await second.seen();
  expect(ends).toEqual([{ status: 504, code: "UND_ERR_HEADERS_TIMEOUT", refusal: "deadline" }]);
  await third.release();
  expect((await third.seen()).ends).toEqual([{ status: 503 }]);
  expect((await second.seen()).deadlines).toHaveLength(1);
  expect((await edge.seen()).ends).toHaveLength(1);
});

test("with 100 ms left nothing is begun that needs 150", async () => {
  const last = await Tier.start({});
  const tier = await Tier.start({ minAttemptTime: 150 }, last);
  const call = (deadline: number): Promise<Response> =>
    fetch(tier.url, { headers: { "retry-budget-deadline": String(deadline) } });

  const denied = await call(100);
  expect(await denied.json()).toMatchObject({ status: 504, refusal: "deadline" });
  expect((await last.seen()).deadlines).toEqual([]);

  const sent = await call(20_000);
  expect(sent.status).toBe(503);
  expect((await last.seen()).deadlines).toHaveLength(3);
});

test("no attempt is begun again that would have less time than it needs", async () => {
  const options = { deadline: 20_000, minAttemptTime: 19_980 };
  const { edge, second } = await startChain(options, { spends: 50 });
  const response = await fetch(edge.url);
  expect(await response.json()).toEqual({ status: 503, refusal: "deadline" });
  expect((await second.seen()).deadlines).toHaveLength(1);
});
