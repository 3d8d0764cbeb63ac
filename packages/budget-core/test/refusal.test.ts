import { createRetryPolicy, refusalCarrier, refusalOf } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { facts } from "./facts.js";

function refuse(outcome: object) {
  const call = createRetryPolicy({ initial: 0 }).call(facts());
  call?.sent();
  call?.settle({ status: 503, ...outcome });
  return call;
}

const details = { refusal: "budget", origin: "http://a.example", attempts: 1, balance: 0 };

describe("a refusal", () => {
  test("stands beside the error and the response, which are not changed", () => {
    const [error, response] = [Object.freeze(new Error("x")), Object.freeze({ status: 503 })];
    refuse({ error, response });
    expect(refusalOf(error)).toEqual(details);
    expect(refusalOf(response)).toEqual(details);
  });

  test("is found through the cause chain and through a context that the client copies", () => {
    const error = new Error("x");
    const call = refuse({ error });
    expect(refusalOf(new TypeError("fetch failed", { cause: error }))).toEqual(details);
    expect(refusalOf({ context: { [refusalCarrier]: call } })).toEqual(details);
  });

  test.each([[undefined], [null], ["text"], [42], [{}], [new Error("other")], [{ context: null }]])(
    "is undefined for %s",
    (value) => {
      expect(refusalOf(value)).toBeUndefined();
    },
  );

  test("is found at the end of a long chain, as of a client within a client within a client", () => {
    const error = new Error("x");
    refuse({ error });
    let outer: Error = error;
    for (let layer = 1; layer < 8; layer++) outer = new Error(`layer ${layer}`, { cause: outer });
    expect(refusalOf(outer)).toEqual(details);
  });

  test("is looked for in a chain that bites its tail, and the search ends", () => {
    const error = new Error("x");
    error.cause = error;
    expect(refusalOf(error)).toBeUndefined();
  });

  test("holds the wait that the server asked for", () => {
    const error = new Error("x");
    const header = (name: string) => (name === "retry-after" ? "120" : undefined);
    refuse({ error, header });
    expect(refusalOf(error)).toMatchObject({ refusal: "retry-after", retryAfter: 120_000 });
  });

  test("is not kept for what succeeds", () => {
    const response = {};
    const call = createRetryPolicy().call(facts());
    call?.sent();
    call?.settle({ status: 200, response });
    expect(refusalOf(response)).toBeUndefined();
  });
});
