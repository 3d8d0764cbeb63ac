import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const outage = "An outage: 100 requests are 119 attempts, and not 300.";

test.each([
  [
    "undici",
    [
      "A rare failure: 200 after 2 attempts.",
      outage,
      'The last one: status 503, refused for "budget".',
    ],
  ],
  ["fetch", ["A rare failure: 200 after 2 attempts.", outage, "With its own options: 1 attempt."]],
  [
    "axios",
    [
      "A rare failure: 200 after 2 attempts, Bearer token-2.",
      outage,
      'The last one: AxiosError, 503, refused for "budget".',
    ],
  ],
  [
    "axios-token",
    ["Bearer token-1: 200", "Bearer token-1: 401", "Bearer token-2: 200", "Bearer token-2: 200"],
  ],
  [
    "got",
    [
      "A rare failure: 200 after 2 attempts.",
      outage,
      'The last one: HTTPError, refused for "budget".',
    ],
  ],
  [
    "p-retry",
    ["A rare failure: 200 after 2 attempts.", outage, 'The last one: Error, refused for "budget".'],
  ],
  [
    "openai-sdk",
    [
      "A rare failure: 200 after 2 attempts.",
      outage,
      'The last one: InternalServerError, 503, refused for "budget".',
    ],
  ],
  [
    "gateway",
    [
      "Both are up: 20 of 20 GETs succeed.",
      "One is killed: 20 of 20 GETs succeed, as long as the budget lasts.",
      "After that: 61 of 100 GETs succeed, half of them and a tenth.",
      "What must not be sent twice: 10 of 20 POSTs succeed.",
      "{",
      "  cluster: 'items',",
      "  origin: 'items',",
      "  balance: 2,",
      "  originals: 160,",
      "  retries: 21,",
      "  refusals: { budget: 39, attempts: 10 },",
      "  amplification: 1.13125",
      "}",
      "An upstream: 101 attempts, 0 failures.",
      "An upstream: 80 attempts, 70 failures.",
    ],
  ],
  [
    "rate-limiter",
    [
      outage,
      "Inside the budget, the limiter has counted 119 of them.",
      "Outside, it counts 100 of 119.",
    ],
  ],
  [
    "breaker",
    [
      "An outage: 100 requests are 5 attempts.",
      'The last one: Execution prevented because the circuit breaker is open, refused for "breaker".',
      "Retries: 3; whole tokens left: 7.",
      "The server is up again: 200.",
    ],
  ],
  [
    "shared-policy",
    [
      "The budget of 127.0.0.1 is exhausted.",
      "100 requests by two clients are 119 attempts.",
      "{",
      "  originals: 100,",
      "  retries: 19,",
      "  refusals: { attempts: 5, budget: 95 },",
      "  amplification: 1.19",
      "}",
    ],
  ],
])(
  "examples/%s.mjs runs as it stands and prints what happened",
  async (name, lines) => {
    const file = fileURLToPath(new URL(`../examples/${name}.mjs`, import.meta.url));
    const { stdout, stderr } = await run(process.execPath, [file], { timeout: 60_000 });
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual(lines);
  },
  70_000,
);
