import {
  type CallFacts,
  createRetryPolicy,
  outerCall,
  type RetryPolicyOptions,
  runInside,
} from "@retry-budget/core";
import { expect, test } from "vitest";
import { facts } from "./facts.js";
import { warningsDuring } from "./warnings.js";

const failed = { status: 503 };

interface Changes {
  readonly options?: RetryPolicyOptions;
  readonly facts?: Partial<CallFacts>;
  readonly status?: number;
}

/** What a policy makes of one failed attempt with these headers, and what it warns of. */
async function meet(headers: Readonly<Record<string, unknown>>, changes: Changes = {}) {
  const policy = createRetryPolicy(changes.options);
  const refusals: unknown[] = [];
  const attempt = (): void => {
    const call = policy.call(facts({ requestHeader: (name) => headers[name], ...changes.facts }));
    call?.sent();
    refusals.push(call?.settle({ ...failed, status: changes.status ?? 503 })?.refusal);
    call?.abandon();
  };
  const warnings = await warningsDuring(() => {
    attempt();
    attempt();
  });
  return { refusal: refusals[0], again: refusals[1], warnings };
}

const told = { refusal: "layer", again: "layer", warnings: ["RETRY_BUDGET_LAYER"] };
const untold = { refusal: undefined, again: undefined, warnings: [] };

test.each([
  ["x-stainless-retry-count", "1"],
  ["x-stainless-retry-count", "12"],
  ["x-stainless-retry-count", 2],
  ["x-stainless-retry-count", ["1"]],
  ["amz-sdk-request", "attempt=2; max=3"],
  ["amz-sdk-request", "attempt=10; max=10"],
  ["amz-sdk-request", "ttl=20261201T000000Z; attempt=2"],
  ["amz-sdk-request", "attempt=1; max=3"],
  ["x-goog-api-client", "gl-node/24.1.0 gccl/7.0 gccl-invocation-id/1-2 gccl-attempt-count/2"],
])("%s: %s is of a layer above that retries: refused, and warned of once", async (name, value) => {
  expect(await meet({ [name]: value })).toEqual(told);
});

test.each([
  ["x-stainless-retry-count", "0"],
  ["x-stainless-retry-count", ""],
  ["x-stainless-retry-count", undefined],
  ["x-stainless-retry-count", false],
  ["x-stainless-retry-count", "true"],
  ["x-stainless-retry-count", "-1"],
  ["amz-sdk-request", "attempt=1; max=1"],
  ["amz-sdk-request", "attempt=1"],
  ["amz-sdk-request", "attempts=2"],
  ["x-goog-api-client", "gl-node/24.1.0 gccl/7.0 gccl-attempt-count/1"],
  ["x-goog-api-client", "gl-node/24.1.0 gccl/2.0"],
])("%s: %s is a first attempt, or nothing that we know", async (name, value) => {
  expect(await meet({ [name]: value })).toEqual(untold);
});

test("a client that shows no headers is asked for none", async () => {
  expect(await meet({}, { facts: { requestHeader: undefined as never } })).toEqual(untold);
});

const repeated = { "x-stainless-retry-count": "1" };

test("it is warned of as well where the budget would refuse for another reason", async () => {
  expect(await meet(repeated, { facts: { method: "POST" } })).toMatchObject({
    refusal: "method",
    warnings: ["RETRY_BUDGET_LAYER"],
  });
});

test("it is not warned of where nothing failed, nor where nothing would be retried", async () => {
  expect((await meet(repeated, { status: 200 })).warnings).toEqual([]);
  expect((await meet(repeated, { status: 404 })).warnings).toEqual([]);
  expect(await meet(repeated, { options: { maxAttempts: 1 } })).toMatchObject({
    refusal: "attempts",
    warnings: [],
  });
});

test("`oneLayer: false` lets a policy retry all the same", async () => {
  expect(await meet(repeated, { options: { oneLayer: false } })).toEqual(untold);
});

test("the headers are not read of an attempt that succeeds", () => {
  const requestHeader = (): never => {
    throw new Error("was read");
  };
  const call = createRetryPolicy().call(facts({ requestHeader }));
  call?.sent();
  expect(call?.settle({ status: 200 })).toBeUndefined();
});

test("the marks of the policy itself are no layer above, those that it has replaced are one", async () => {
  const marks = { "amz-sdk-request": "attempt=1; max=3" };
  const policy = createRetryPolicy({ marks: () => marks });
  const refusalWith = (header: string): unknown => {
    const call = policy.call(facts({ requestHeader: (name) => marks[name as never] && header }));
    call?.marks("http://a.example");
    call?.sent();
    return call?.settle(failed)?.refusal;
  };
  const warnings = await warningsDuring(() => {
    expect(refusalWith(marks["amz-sdk-request"])).toBeUndefined();
    expect(refusalWith("attempt=2; max=4")).toBe("layer");
  });
  expect(warnings).toEqual(["RETRY_BUDGET_LAYER"]);
});

test("inside an outer call that is retried there is nothing to warn of", async () => {
  const outer = {
    isRetried: true,
    attempt: 1,
    isOver: false,
    outer: undefined,
    remaining: () => Number.POSITIVE_INFINITY,
  };
  await runInside(outer, async () => {
    expect(outerCall()).toBe(outer);
    expect(await meet(repeated)).toEqual({ refusal: "layer", again: "layer", warnings: [] });
  });
});

test("the warning names the layer and the setting that turns it off", async () => {
  const said: string[] = [];
  const listener = ({ message }: Error): number => said.push(message);
  process.on("warning", listener);
  await meet({ "amz-sdk-request": "attempt=2; max=3" });
  process.off("warning", listener);
  expect(said).toEqual([expect.stringMatching(/AWS SDK[\s\S]*`maxAttempts: 1`/)]);
});
