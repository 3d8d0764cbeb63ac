import { errorOf } from "@retry-budget/testkit";
import * as pRetryModule from "p-retry";
import { expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";
import { hasContext } from "./p-retry-major.js";

class Repository {
  readonly #name = "orders";
  calls = 0;

  async load(id: number, suffix: string): Promise<string> {
    if (++this.calls === 1) throw new Error("E");
    return `${this.#name} ${id}${suffix}`;
  }
}

test("makeRetriable gives a function that keeps its parameters and its this, on every major", async () => {
  const { retry, net } = fixture();
  const repository = new Repository();
  // It needs no `this` of its own.
  const { makeRetriable } = retry;
  const load = makeRetriable(repository.load, quick);
  expect(await load.call(repository, 7, "!")).toBe("orders 7!");
  expect(net()).toEqual([[1, 1, 9]]);
});

test("each call of such a function is an original of its own", async () => {
  const { retry, fail, net, attempts } = fixture();
  const failing = retry.makeRetriable(fail, quick);
  for (let call = 0; call < 3; call++) await errorOf(failing());
  expect([attempts(), net()]).toEqual([9, [[3, 6, 4]]]);
});

test("such a function takes the options of a call, a key among them, and changes none", async () => {
  const { retry, fail, policy } = fixture();
  const options = Object.freeze({ ...quick, retryBudget: Object.freeze({ key: () => "queue" }) });
  await errorOf(retry.makeRetriable(fail, options)());
  expect(await retry.makeRetriable(() => "done")()).toBe("done");
  expect(policy.snapshot()).toMatchObject([
    { origin: "db", retries: 0 },
    { origin: "queue", retries: 2 },
  ]);
});

test.runIf(hasContext)("it gives what p-retry's own gives, from p-retry 7 on", async () => {
  const { retry } = fixture();
  const describe = (thrown: Error): string[] => [thrown.name, thrown.message];
  const forms = [retry.makeRetriable, pRetryModule.makeRetriable];
  const results = forms.map(async (makeRetriable) => [
    await makeRetriable((first: number, second: number) => first + second, quick)(1, 2),
    describe(await errorOf(makeRetriable(5 as never)())),
    makeRetriable(() => 1).length,
  ]);
  expect(await results[0]).toEqual(await results[1]);
});
