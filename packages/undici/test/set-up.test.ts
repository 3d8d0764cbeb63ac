import { retryBudget, type UndiciSettings } from "@retry-budget/undici";
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

const bytes = "a whole number from 0 to 9007199254740991";
const known = "Known options: origin, recordLimit.";

test.each<[unknown, string]>([
  [null, "Expected `settings` to be an object, got null."],
  ["text", 'Expected `settings` to be an object, got "text".'],
  [{ misspelt: 1 }, `Unknown option \`misspelt\` (1) in \`settings\`. ${known}`],
  [{ origin: 7 }, "Expected `settings.origin` to be a URL or a name, got 7."],
  [{ recordLimit: -1 }, `Expected \`settings.recordLimit\` to be ${bytes}, got -1.`],
  [{ recordLimit: 1.5 }, `Expected \`settings.recordLimit\` to be ${bytes}, got 1.5.`],
  [{ recordLimit: "1" }, `Expected \`settings.recordLimit\` to be ${bytes}, got "1".`],
])("settings of %j are a TypeError at set-up that names the mistake", (settings, message) => {
  expect(() => retryBudget({}, settings as never)).toThrow(new TypeError(message));
});

test.each<[UndiciSettings]>([
  [{}],
  [{ origin: "payments", recordLimit: 0 }],
  [{ origin: undefined, recordLimit: 1024 }],
])("settings of %j are good ones", (settings) => {
  expect(() => retryBudget({}, settings)).not.toThrow();
});

test("the interceptor fits undici: what it returns takes two arguments", () => {
  const dispatch = (): boolean => true;
  expect(retryBudget({})(dispatch)).toHaveLength(2);
});
