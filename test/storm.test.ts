import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";

// The commands load every client, on what may be a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const run = promisify(execFile);
const command = fileURLToPath(new URL("../packages/lab/dist/storm-command.js", import.meta.url));

// The capacity of 10, and a tenth for each of the 600 originals but the first, which came when the
// budget was full: floor(10 + 599 × 0.1).
const budgeted = { originals: 600, received: 669, retries: 69, succeeded: 0, amplification: 1.115 };
const times = (amplification: number): object => ({
  originals: 600,
  received: 600 * amplification,
  retries: 600 * (amplification - 1),
  succeeded: 0,
  amplification,
});

test("in an outage 600 originals are exactly so many requests, by client and policy", async () => {
  expect(existsSync(command), "run `npm run build` first").toBe(true);
  // A generator that was late on a busy machine makes the run void, but no count wrong.
  const { stdout } = await run(process.execPath, [command, "--json"], { timeout: 170_000 }).catch(
    (error: { stdout: string }) => error,
  );
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(results.map(({ lag: _, ...counts }) => counts)).toEqual([
    { client: "undici", policy: "bare", ...times(1) },
    { client: "undici", policy: "own", ...times(6) },
    { client: "undici", policy: "budget", ...budgeted },
    { client: "axios", policy: "bare", ...times(1) },
    { client: "axios", policy: "own", ...times(4) },
    { client: "axios", policy: "budget", ...budgeted },
    { client: "got", policy: "bare", ...times(1) },
    { client: "got", policy: "own", ...times(3) },
    { client: "got", policy: "budget", ...budgeted },
    { client: "p-retry", policy: "bare", ...times(1) },
    { client: "p-retry", policy: "own", ...times(3) },
    { client: "p-retry", policy: "budget", ...budgeted },
  ]);
}, 180_000);

test.each([
  [["--originals", "0"], "Expected a whole number from 1 to 10000."],
  [["--rate", "fast"], "Expected a whole number from 1 to 500."],
  [["--client", "curl"], "Allowed choices are undici, axios, got, p-retry."],
])("%j is an error that says what is allowed", async (args, message) => {
  const error = await run(process.execPath, [command, ...args]).catch((e: { stderr: string }) => e);
  expect(error.stderr).toContain(message);
});
