import { retryBudget } from "@retry-budget/undici";
import { expect, test } from "vitest";

test.each([["a string"], [7], [null]])(
  "retryBudget(%j) is a TypeError at set-up that names it (undici #3966)",
  (options) => {
    expect(() => retryBudget(options as never)).toThrow(
      new TypeError(`Expected \`options\` to be an object, got ${JSON.stringify(options)}.`),
    );
  },
);

test("a misspelt option is a TypeError at set-up that names it (undici #3966)", () => {
  expect(() => retryBudget({ ratios: 1 } as never)).toThrow(TypeError);
  expect(() => retryBudget({ ratios: 1 } as never)).toThrow("Unknown option `ratios` (1)");
});

test("settings.origin that is neither URL nor text is a TypeError at set-up", () => {
  expect(() => retryBudget({}, { origin: 7 as never })).toThrow(
    "Expected `settings.origin` to be a URL or a name, got 7.",
  );
});

test.each([[null], ["text"], [{ misspelt: 1 }]])(
  "settings of %j are a TypeError at set-up",
  (settings) => {
    expect(() => retryBudget({}, settings as never)).toThrow(TypeError);
  },
);

test("the interceptor fits undici: what it returns takes two arguments", () => {
  const dispatch = (): boolean => true;
  expect(retryBudget({})(dispatch)).toHaveLength(2);
});
