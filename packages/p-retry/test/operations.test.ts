import { type Classify, refusalOf } from "@retry-budget/core";
import { errorOf } from "@retry-budget/testkit";
import { AbortError } from "p-retry";
import { describe, expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";

class DatabaseError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Serialization failures and broken connections of PostgreSQL. */
const transientCodes = /^(40001|40P01|08\w{3})$/;
const classify: Classify = ({ error }) => {
  if (!(error instanceof DatabaseError)) return undefined;
  return transientCodes.test(error.code) ? "transient" : "permanent";
};

describe("an operation that is no HTTP", () => {
  test("has a name for its key, and a rule of its own for what is transient", async () => {
    const { retry, net, policy } = fixture({ classify }, "orders database");
    const query = (code: string) => () => Promise.reject(new DatabaseError(code));
    const busy = await errorOf(retry(query("40001"), quick));
    expect(refusalOf(busy)).toMatchObject({ refusal: "attempts", origin: "orders database" });
    const duplicate = await errorOf(retry(query("23505"), quick));
    expect(refusalOf(duplicate)).toMatchObject({ refusal: "permanent", attempts: 1 });
    expect(net()).toEqual([[2, 2, 8]]);
    expect(policy.snapshot()).toMatchObject([{ refusals: { attempts: 1, permanent: 1 } }]);
  });

  test("is retried whatever its error, where the rule says nothing", async () => {
    const { retry, fail, attempts } = fixture({ classify });
    await errorOf(retry(fail, quick));
    expect(attempts()).toBe(3);
  });

  test("ends with an AbortError at no cost, though the rule calls it transient", async () => {
    const { retry, net } = fixture({ classify });
    const error = new DatabaseError("40001");
    expect(await errorOf(retry(() => Promise.reject(new AbortError(error)), quick))).toBe(error);
    expect(net()).toEqual([[1, 0, 10]]);
  });

  test("that has succeeded is not repeated, whatever the rule calls it", async () => {
    const { retry, net } = fixture({ classify: () => "transient" });
    expect(await retry(() => "done", quick)).toBe("done");
    expect(net()).toEqual([[1, 0, 10]]);
  });

  test("is sent once if the call says that it is not idempotent", async () => {
    const { retry, fail, attempts } = fixture();
    const error = await errorOf(retry(fail, { ...quick, retryBudget: { idempotent: false } }));
    expect([attempts(), refusalOf(error)?.refusal]).toEqual([1, "method"]);
  });
});
