import { expect, test } from "vitest";
import { parseExhaustedQuota } from "../src/rate-limit.js";

test.each([
  ['"default";r=0;t=30', { wait: 30_000 }],
  ['"default";r=0', { wait: undefined }],
  ["default;r=0;t=1", { wait: 1000 }],
  ['"a;b,c";r=0;t=2;pk=:abc=:', { wait: 2000 }],
  ['"burst";r=5;t=1, "daily";r=0;t=60', { wait: 60_000 }],
  ['"burst";r=0;t=1, "daily";r=0', { wait: undefined }],
  ['"a";r=0;t=9, "b";r=0;t=3', { wait: 9000 }],
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
