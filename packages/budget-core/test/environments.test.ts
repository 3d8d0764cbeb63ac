import { createRetryPolicy } from "@retry-budget/core";
import { afterEach, expect, test, vi } from "vitest";
import { facts, pause } from "./facts.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.resetModules();
});

test("the core loads and works where there is no process", async () => {
  vi.resetModules();
  vi.stubGlobal("process", undefined);
  const core = await import("@retry-budget/core");
  const policy = core.createRetryPolicy({
    initial: 1,
    classify: () => {
      throw new Error("no warning can be emitted");
    },
  });
  const call = policy.call(facts());
  call?.sent();
  expect(call?.settle({ status: 503 })?.retry).toBe(true);
  expect(policy.snapshot()).toHaveLength(1);
});

test("a relative URL counts from the page", async () => {
  vi.resetModules();
  vi.stubGlobal("location", { href: "https://app.example/page" });
  const { originOf } = await import("@retry-budget/core");
  expect(originOf("/api/items")).toBe("https://app.example");
});

test("a relative URL counts from the page's base, if it names one", async () => {
  vi.resetModules();
  vi.stubGlobal("location", { href: "https://app.example/page" });
  vi.stubGlobal("document", { baseURI: "https://static.example/" });
  const { originOf } = await import("@retry-budget/core");
  expect(originOf("/api/items")).toBe("https://static.example");
});

test("what has no origin shares one budget and keeps its text to itself", () => {
  const policy = createRetryPolicy();
  policy.call(facts({ url: "/api?token=secret" }))?.sent();
  policy.call(facts({ url: "" }))?.sent();
  expect(policy.snapshot()).toMatchObject([{ origin: "unknown", originals: 2 }]);
});

test("timers and the time are read from globalThis at call time, so that fake ones work", async () => {
  const policy = createRetryPolicy({ deadline: 60_000, backoff: { base: 5000, jitter: "none" } });
  vi.useFakeTimers();
  const call = policy.call(facts());
  call?.sent();
  call?.settle({ status: 503 });
  const due = pause(call);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await due).toBe(true);
  call?.sent();
  vi.advanceTimersByTime(60_000);
  expect(call?.settle({ status: 503 })).toMatchObject({ refusal: "deadline" });
});
