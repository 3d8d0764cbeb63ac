import { expect, test } from "vitest";
import { parseExhaustedQuota } from "../src/rate-limit.js";

test.each([
  ['"default";r=0;t=30', 30_000],
  ['"default";r=0', Number.POSITIVE_INFINITY],
  ["default;r=0;t=1", 1000],
  ['"a;b,c";r=0;t=2;pk=:abc=:', 2000],
  ['"burst";r=5;t=1, "daily";r=0;t=60', 60_000],
  ['"burst";r=0;t=1, "daily";r=0', Number.POSITIVE_INFINITY],
  ['"a";r=0;t=9, "b";r=0;t=3', 9000],
])("%s is an exhausted quota", (value, quota) => {
  expect(parseExhaustedQuota(value)).toEqual(quota);
});

test.each([
  '"default";r=50;t=30',
  "",
  '"default"',
  '"default";r=-1',
  '"default";r=x',
  ";r=0",
  '"open;r=0',
  '"a";r=0.5',
])("%j is none", (value) => {
  expect(parseExhaustedQuota(value)).toBeUndefined();
});
