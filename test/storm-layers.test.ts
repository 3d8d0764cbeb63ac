import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";

// The commands load every client, on what may be a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const run = promisify(execFile);
const command = fileURLToPath(new URL("../packages/lab/dist/storm-command.js", import.meta.url));

const counts = { layers: 3, originals: 500, succeeded: 0 };

test("three layers make 27 requests of one with 3 attempts each, 1.33 with a budget each, 1.10 with marks", async () => {
  expect(existsSync(command), "run `npm run build` first").toBe(true);
  const { stdout } = await run(process.execPath, [command, "layers", "--json"]);
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(results).toEqual([
    {
      ...counts,
      policy: "attempts",
      tiers: [1500, 4500, 13_500],
      received: 13_500,
      amplification: 27,
    },
    // Each layer adds a tenth to what it gets, in whole retries.
    { ...counts, policy: "budgets", tiers: [550, 605, 665], received: 665, amplification: 1.33 },
    { ...counts, policy: "marks", tiers: [550, 550, 550], received: 550, amplification: 1.1 },
  ]);
}, 200_000);

test.each([
  [["layers", "--originals", "0"], "Expected a whole number from 1 to 2000."],
  [["layers", "--policy", "none"], "Allowed choices are attempts, budgets, marks."],
  [["layer"], "too many arguments"],
])("%j is an error that says what is wrong", async (args, message) => {
  const error = await run(process.execPath, [command, ...args]).catch((e: { stderr: string }) => e);
  expect(error.stderr).toContain(message);
});
