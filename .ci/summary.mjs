// Counts what really ran: vitest's own report, the status of `npm cit`, and each run of the storm.
import { existsSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const [report, testStatus] = process.argv.slice(2);
const count = { passed: 0, failed: 0, skipped: 0 };

if (existsSync(report)) {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  count.passed += numPassedTests;
  count.failed += numFailedTests;
  count.skipped += numPendingTests + numTodoTests;
}
// Install, build, package checks and lint have no report: a failure of theirs counts as one.
if (testStatus !== "0" && count.failed === 0) count.failed++;

const own = { undici: 6, axios: 4, got: 3, "p-retry": 3 };
const lines = (await text(process.stdin)).split("\n").filter((line) => line.startsWith("{"));
const expected = Object.keys(own).length * 3;
for (const line of lines) {
  const { client, policy, originals, received } = JSON.parse(line);
  const wanted = { bare: originals, own: originals * own[client], budget: 669 }[policy];
  if (received === wanted) count.passed++;
  else {
    count.failed++;
    console.log(`storm: ${client} ${policy} received ${received}, expected ${wanted}`);
  }
}
if (lines.length !== expected) {
  count.failed++;
  console.log(`storm: ${lines.length} of ${expected} runs`);
}

console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed === 0 ? 0 : 1);
