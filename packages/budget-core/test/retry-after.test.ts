import { afterEach, describe, expect, test } from "vitest";
import { parseRetryAfter } from "../src/retry-after.js";

// The instant of RFC 9110's own examples, a minute before it.
const now = Date.UTC(1994, 10, 6, 8, 48, 37);
const zone = process.env["TZ"];

afterEach(() => {
  // An environment holds text: undefined would become the word.
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe.each(["America/New_York", "Asia/Kolkata", "UTC"])("in the zone %s", (name) => {
  test.each([
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
  ])("%s is the same instant", (date) => {
    process.env["TZ"] = name;
    expect(parseRetryAfter(date, now)).toBe(60_000);
  });
});

test.each([
  ["0", 0],
  ["2", 2000],
  ["120", 120_000],
  ["007", 7000],
  ["Sun, 06 Nov 1994 08:47:37 GMT", 0],
  ["Sun, 06 Nov 1994 08:48:60 GMT", 23_000],
  ["1, 3", 3000],
  ["1, Sun, 06 Nov 1994 08:49:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:49:37 GMT, 5", 60_000],
  ["nonsense, 5", 5000],
  ["9".repeat(400), Number.MAX_SAFE_INTEGER],
])("%s means %d ms", (value, wait) => {
  expect(parseRetryAfter(value, now)).toBe(wait);
});

test.each([
  "-1",
  "",
  " ",
  "1e3",
  "0x10",
  "1.5",
  "+5",
  "tomorrow",
  "sun, 06 nov 1994 08:49:37 gmt",
  "Sun, 6 Nov 1994 08:49:37 GMT",
  "Sun, 31 Feb 1994 08:49:37 GMT",
  "Sun, 00 Nov 1994 08:49:37 GMT",
  "Sun, 06 Nov 1994 24:00:00 GMT",
  "Sun, 06 Nov 1994 08:49:37 EST",
  "1994-11-06T08:49:37Z",
])("%j counts as absent", (value) => {
  expect(parseRetryAfter(value, now)).toBeUndefined();
});

test("a two-digit year more than 50 years ahead is in the past century", () => {
  const in2026 = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter("Tuesday, 06-Nov-77 08:49:37 GMT", in2026)).toBe(0);
  expect(parseRetryAfter("Friday, 06-Nov-76 08:49:37 GMT", in2026)).toBeGreaterThan(0);
});
