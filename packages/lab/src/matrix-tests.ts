import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CellCounts } from "./matrix-cells.js";
import type { Copy } from "./matrix-copies.js";
import { type ProcessEnd, runProcess } from "./matrix-process.js";
import { repository } from "./repository.js";

const longestCell = 300_000;

/** What is read of vitest's JSON report. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The client's project of vitest, under this Node, with this copy in place of the client. */
export async function runTests(client: string, node: Copy, copy: Copy): Promise<CellCounts> {
  const report = join(repository, `coverage/matrix/${node.name}-${copy.name}.json`);
  rmSync(report, { force: true });
  // A process for each file would take most of the time, and `npm test` keeps them apart already.
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--no-isolate", "--project", client];
  const end = await runProcess(
    join(node.folder, "bin/node"),
    [...vitest, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { RETRY_BUDGET_CLIENT: copy.name, NO_COLOR: "1" },
    longestCell,
  );
  if (end.isLate) return lost(`It did not end within ${longestCell} ms.`);
  if (!existsSync(report)) return lost(end.output);
  return count(JSON.parse(readFileSync(report, "utf8")), end);
}

function count({ testResults }: Report, { code, output }: ProcessEnd): CellCounts {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = tests
    .filter(({ status }) => status === "failed")
    .map(
      ({ fullName, failureMessages }) =>
        `${fullName}\n${failureMessages.map(beginningOf).join("\n")}`,
    );
  // A file that could not be loaded has no tests.
  for (const { name, status, message, assertionResults } of testResults) {
    if (status === "failed" && !assertionResults.some((test) => test.status === "failed")) {
      failures.push(`${name}\n${message}`);
    }
  }
  // Such as an error that no test caught.
  if (code !== 0 && failures.length === 0) failures.push(output);
  const passed = tests.filter(({ status }) => status === "passed").length;
  if (passed === 0 && failures.length === 0) failures.push("No test ran.");
  const skips = tests
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ fullName }) => fullName);
  return { passed, failed: failures.length, skipped: skips.length, failures, skips };
}

/** Without the most of the stack. */
function beginningOf(message: string): string {
  return message.split("\n").slice(0, 8).join("\n");
}

function lost(failure: string): CellCounts {
  return { passed: 0, failed: 1, skipped: 0, failures: [failure], skips: [] };
}
