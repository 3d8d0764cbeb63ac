// Counts what really ran: vitest's own report, the status of `npm cit`, each run of the storms, each
// cell of the matrices, and the soaks.
import { existsSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

// Those that have a matrix and a soak.
const clients = ["undici", "axios", "got", "p-retry"];

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

const lines = (await text(process.stdin))
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line));
const storms = lines.filter(({ policy }) => policy !== undefined);
countStorm(storms.filter(({ layers }) => layers === undefined));
countLayers(storms.filter(({ layers }) => layers !== undefined));
countMatrix(lines.filter(({ version }) => version !== undefined));
countSoak(lines.filter(({ heapAfter }) => heapAfter !== undefined));

console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed === 0 ? 0 : 1);

function countStorm(runs) {
  const own = { undici: 6, axios: 4, got: 3, "p-retry": 3 };
  for (const { client, policy, originals, received } of runs) {
    const wanted = { bare: originals, own: originals * own[client], budget: 669 }[policy];
    if (received === wanted) count.passed++;
    else fail(`storm: ${client} ${policy} received ${received}, expected ${wanted}`);
  }
  expectLines("storm", runs, Object.keys(own).length * 3);
}

function countLayers(runs) {
  const wanted = { attempts: 13_500, budgets: 665, marks: 550 };
  for (const { policy, received } of runs) {
    if (received === wanted[policy]) count.passed++;
    else fail(`layers: ${policy} received ${received}, expected ${wanted[policy]}`);
  }
  expectLines("layers", runs, Object.keys(wanted).length);
}

function countMatrix(cells) {
  for (const { client, version, node, absent, passed, failed, skipped } of cells) {
    const cell = `matrix: ${client} ${version} ${node === undefined ? "types" : `Node ${node}`}`;
    if (absent !== undefined) {
      console.log(`${cell} cannot exist: ${absent}`);
      continue;
    }
    console.log(`${cell}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
    count.passed += passed;
    count.failed += failed;
    count.skipped += skipped;
    if (passed + failed === 0) fail(`${cell} ran no test`);
  }
  const { dependencies } = JSON.parse(readFileSync("test/matrix/package.json", "utf8"));
  const copiesOf = (name) =>
    Object.keys(dependencies).filter((copy) => copy.startsWith(`${name}-`));
  // A row for each Node, and one for the types.
  for (const name of clients) {
    const found = cells.filter(({ client }) => client === name);
    expectLines(`matrix: ${name}`, found, (copiesOf("node").length + 1) * copiesOf(name).length);
  }
}

function countSoak(runs) {
  for (const run of runs) {
    if (run.ok) count.passed++;
    else fail(`soak: ${JSON.stringify(run)}`);
  }
  for (const name of clients) {
    const found = runs.filter(({ client }) => client === name);
    expectLines(`soak: ${name}`, found, 1);
  }
}

function expectLines(name, found, expected) {
  if (found.length !== expected) fail(`${name}: ${found.length} of ${expected} runs`);
}

function fail(reason) {
  count.failed++;
  console.log(reason);
}
