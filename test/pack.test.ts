import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installPacked, type Project, root } from "./packed.js";

const packages = ["budget-core", "undici", "axios", "got", "p-retry", "context", "cockatiel"];
const typesForRequire: Record<string, string[]> = {
  "budget-core": ["require-testing.d.cts", "require.d.cts"],
  axios: ["require.d.cts"],
  got: ["require.d.cts"],
};
const clients = ["undici@7.30.2", "axios@1.21.1", "got@14.6.6", "p-retry@7.1.1", "cockatiel@3.2.1"];

let project: Project;

beforeAll(async () => {
  project = await installPacked(packages, clients);
}, 180_000);

afterAll(() => project.remove());

const use = `
  const breakers = cockatielBreakers(() => circuitBreaker(handleAll, { breaker: new ConsecutiveBreaker(5), halfOpenAfter: 1000 }));
  const marks = outgoing({ origins: ["http://127.0.0.1:8080"] });
  const policy = createRetryPolicy({ breakers, marks });
  const listener = forNode(createIncoming(), () => undefined);
  const dispatcher = new undici.Agent().compose(budgetUndici(policy));
  budgetAxios(axios.create(), policy).detach();
  const client = got.extend(budgetGot(policy));
  const retry = budgetPRetry({ pRetry, AbortError }, policy);
  const clock = createManualClock();
  console.log([dispatcher, client, retry, clock, refusalOf, listener].map((made) => typeof made).join());
`;
const printed = "object,function,function,object,function,function";

/** What tsc says to the files, with the strictness of a careful user. */
async function typeCheck(files: string[]): Promise<string> {
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    lib: ["es2023"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await project.node(tsc, "-p", ".").catch((error) => error);
  return stdout;
}

test("they work from ESM", async () => {
  const source = `
    import { createRetryPolicy, refusalOf } from "@retry-budget/core";
    import { createManualClock } from "@retry-budget/core/testing";
    import { retryBudget as budgetUndici } from "@retry-budget/undici";
    import { retryBudget as budgetAxios } from "@retry-budget/axios";
    import { retryBudget as budgetGot } from "@retry-budget/got";
    import { retryBudget as budgetPRetry } from "@retry-budget/p-retry";
    import { createIncoming, forNode, outgoing } from "@retry-budget/context";
    import { cockatielBreakers } from "@retry-budget/cockatiel";
    import { circuitBreaker, ConsecutiveBreaker, handleAll } from "cockatiel";
    import * as undici from "undici";
    import axios from "axios";
    import got from "got";
    import pRetry, { AbortError } from "p-retry";
    ${use}`;
  await project.write("esm.mjs", source);
  const { stdout, stderr } = await project.node("esm.mjs");
  expect([stdout.trim(), stderr]).toEqual([printed, ""]);
});

test("they load through require(), without a warning of theirs", async () => {
  const source = `
    const { createRetryPolicy, refusalOf } = require("@retry-budget/core");
    const { createManualClock } = require("@retry-budget/core/testing");
    const { retryBudget: budgetUndici } = require("@retry-budget/undici");
    const { retryBudget: budgetAxios } = require("@retry-budget/axios");
    const { retryBudget: budgetGot } = require("@retry-budget/got");
    const { retryBudget: budgetPRetry } = require("@retry-budget/p-retry");
    const { createIncoming, forNode, outgoing } = require("@retry-budget/context");
    const { cockatielBreakers } = require("@retry-budget/cockatiel");
    const { circuitBreaker, ConsecutiveBreaker, handleAll } = require("cockatiel");
    const undici = require("undici");
    const axios = require("axios");
    const { default: got } = require("got");
    const { default: pRetry, AbortError } = require("p-retry");
    ${use}`;
  await project.write("cjs.cjs", source);
  const { stdout, stderr } = await project.node("cjs.cjs");
  expect([stdout.trim(), stderr]).toEqual([printed, ""]);
});

test("they type-check under nodenext, from ESM and from CommonJS", async () => {
  const source = `
    import { createRetryPolicy, refusalOf, type RefusalDetails } from "@retry-budget/core";
    import { createManualClock } from "@retry-budget/core/testing";
    import { retryBudget as budgetUndici } from "@retry-budget/undici";
    import { fromAxiosRetry, retryBudget as budgetAxios } from "@retry-budget/axios";
    import { retryBudget as budgetGot } from "@retry-budget/got";
    import { retryBudget as budgetPRetry } from "@retry-budget/p-retry";
    import { Agent, request } from "undici";
    import axios, { type AxiosError } from "axios";
    import got from "got";
    import pRetry, { AbortError } from "p-retry";

    const policy = createRetryPolicy({ ratio: 0.1, clock: createManualClock() });
    const dispatcher = new Agent().compose(budgetUndici(policy));
    void request("http://a.example", { dispatcher, retryBudget: false });
    budgetAxios(axios, policy, { getAdapter: axios.getAdapter }).detach();
    void axios.get("/", { retryBudget: { idempotent: true } });
    const onRetry = (count: number, { code }: AxiosError) => console.log(count, code);
    budgetAxios(axios, fromAxiosRetry({ retries: 2, onRetry })).detach();
    void got.extend(budgetGot(policy))("http://a.example");
    const text: Promise<string> = budgetPRetry({ pRetry, AbortError }, policy)(() => "text");
    export const details: RefusalDetails | undefined = refusalOf(text);
  `;
  await project.write("use.mts", source);
  // axios' types differ between its two module systems, and the instance is accepted by shape.
  await project.write("use.cts", source);
  expect(await typeCheck(["use.mts", "use.cts"])).toBe("");
}, 60_000);

test("the examples in the READMEs type-check", async () => {
  await project.write(
    "globals.d.ts",
    `declare const database: { query(sql: string): Promise<unknown[]> };
     declare const metrics: { count(type: string, origin: string): void };
     declare const api: import("axios").AxiosInstance;
     declare function freshToken(): Promise<string>;
     declare const dispatcher: import("undici").Dispatcher;
     declare const error: unknown;
     declare const order: object;
     declare const app: { use(handler: unknown): void; register(plugin: unknown): void };
     declare function load(url: string): Promise<string>;`,
  );
  const readmes = ["README.md", ...packages.map((name) => `packages/${name}/README.md`)];
  const files = ["globals.d.ts"];
  for (const [index, path] of readmes.entries()) {
    const blocks = (await readFile(join(root, path), "utf8")).matchAll(/```js\n([\s\S]*?)```/g);
    for (const [, block = ""] of blocks) {
      const file = `readme-${index}-${files.length}.mts`;
      await project.write(file, `${block}\nexport {};\n`);
      files.push(file);
    }
  }
  expect(files.length).toBeGreaterThan(10);
  expect(await typeCheck(files)).toBe("");
}, 60_000);

describe.each(packages)("the tarball of %s", (name) => {
  const manifest = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(root, "packages", name, "package.json"), "utf8"));

  test("holds dist and src, its README, and nothing else", async () => {
    const installed = join(project.folder, "node_modules", String((await manifest())["name"]));
    const entries = (await readdir(installed)).sort();
    const usual = ["LICENSE", "README.md", "dist", "package.json", "src"];
    expect(entries).toEqual([...usual, ...(typesForRequire[name] ?? [])].sort());
    expect(await readdir(join(installed, "dist"))).not.toContain(".tsbuildinfo");
  });

  test("holds no output of a source that is gone", async () => {
    const files = async (part: string, ending: string): Promise<string[]> =>
      (await readdir(join(root, "packages", name, part)))
        .filter((file) => file.endsWith(ending))
        .map((file) => file.slice(0, -ending.length))
        .sort();
    expect(await files("dist", ".js"), "remove dist and build again").toEqual(
      await files("src", ".ts"),
    );
  });
});

test("the core has no dependency, and an adapter none but the core", async () => {
  for (const name of packages) {
    const text = await readFile(join(root, "packages", name, "package.json"), "utf8");
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: object };
    expect(Object.keys(dependencies)).toEqual(name === "budget-core" ? [] : ["@retry-budget/core"]);
  }
});
