import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { serve, status } from "@retry-budget/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import webpack from "webpack";
import { installPacked, type Project, root } from "./packed.js";

let project: Project;

beforeAll(async () => {
  project = await installPacked(["budget-core", "axios", "got"], ["axios@1.21.1", "got@11.8.6"]);
}, 120_000);

afterAll(() => project.remove());

const imports = `
  import { retryBudget } from "@retry-budget/axios";
  import axios from "axios";`;
const requires = `
  const { retryBudget } = require("@retry-budget/axios");
  const axios = require("axios");`;

/** An adapter that answers 503 until this attempt, and the attempts that it has seen. */
const flaky = `
  function flaky(last) {
    const attempts = [];
    const adapter = async (config) => {
      attempts.push(config);
      const status = attempts.length < last ? 503 : 200;
      const response = { status, statusText: "", headers: {}, data: "", config };
      if (status === 200) return response;
      throw new axios.AxiosError("answer 503", "ERR_BAD_RESPONSE", config, null, response);
    };
    return { adapter, attempts };
  }
  const quick = { backoff: { base: 1 } };`;

const use = `${flaky}
  const { adapter, attempts } = flaky(3);
  const api = axios.create({ adapter });
  retryBudget(api, quick);
  api.get("http://a.example").then(({ status }) => console.log(status, attempts.length));`;

test.each([
  ["import", "use.mjs", imports],
  ["require()", "use.cjs", requires],
])("%s gives the function in Node (axios-retry #181, #257)", async (_, file, load) => {
  await project.write(file, load + use);
  expect(await project.node(file)).toEqual({ stdout: "200 3\n", stderr: "" });
});

test("the builds for require() hold no other package, and require nothing built into Node but what got needs", async () => {
  const required = async (name: string, file: string): Promise<string[]> => {
    const path = join(project.folder, "node_modules/@retry-budget", name, "dist", file);
    const calls = (await readFile(path, "utf8")).matchAll(/\brequire\("(.*?)"\)/g);
    return [...calls].map(([, id = ""]) => id);
  };
  const ofAdapter = await required("axios", "index.cjs");
  expect(ofAdapter).toContain("@retry-budget/core");
  // What axios requires would be here, if axios were.
  expect(ofAdapter.filter(isBuiltin)).toEqual([]);
  // got's types only are used; and it runs in Node only.
  expect(await required("got", "index.cjs")).toEqual(["@retry-budget/core", "node:stream"]);
  expect(await required("core", "index.cjs")).toEqual(["./shared.cjs"]);
  expect(await required("core", "testing.cjs")).toEqual(["./shared.cjs"]);
  expect(await required("core", "shared.cjs")).toEqual([]);
});

/** Runs one test file, which `require()`s what it tests. */
async function runJest(file: string, source: string): Promise<unknown> {
  await project.write(file, source);
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const config = { rootDir: ".", testMatch: [`**/${file}`], transform: {}, watchman: false };
  const args = ["--config", JSON.stringify(config), "--json", "--no-cache"];
  const { stdout } = await project.node(jest, ...args);
  return JSON.parse(stdout);
}

test("Jest requires it, and transforms nothing (axios-retry #257, retry-axios #198)", async () => {
  const source = `${requires}
    const { refusalOf } = require("@retry-budget/core");
    const { createManualClock } = require("@retry-budget/core/testing");
    ${flaky}
    test("a request that fails twice has three attempts", async () => {
      const { adapter, attempts } = flaky(3);
      const api = axios.create({ adapter });
      retryBudget(api, quick);
      expect(await api.get("http://a.example")).toMatchObject({ status: 200 });
      expect(attempts).toHaveLength(3);
    });
    test("a failure says why it was not retried", async () => {
      const api = axios.create({ adapter: flaky(2).adapter });
      retryBudget(api, { initial: 0, clock: createManualClock() });
      const error = await api.get("http://a.example").catch((error) => error);
      expect(refusalOf(error)).toMatchObject({ refusal: "budget" });
    });`;
  const result = await runJest("axios.test.cjs", source);
  expect(result).toMatchObject({ success: true, numPassedTests: 2 });
}, 60_000);

const useGot = (url: string): string => `
  const { createRetryPolicy } = require("@retry-budget/core");
  const { retryBudget } = require("@retry-budget/got");
  const got = require("got");
  const policy = createRetryPolicy();
  const client = got.extend(retryBudget(policy), { retry: { calculateDelay: () => 1 } });
  const counts = () => policy.snapshot().map(({ originals, retries }) => [originals, retries]);
  const send = () => client(${JSON.stringify(url)});`;

test("got 11, which is CommonJS, is extended in Node", async () => {
  const server = await serve(status(503), status(200));
  const log = `send().then(({ statusCode }) => console.log(statusCode, String(counts())));`;
  await project.write("got.cjs", useGot(server.url) + log);
  expect(await project.node("got.cjs")).toEqual({ stdout: "200 1,1\n", stderr: "" });
});

test("got 11, which is CommonJS, is extended in Jest", async () => {
  const server = await serve(status(503), status(200));
  const source = `${useGot(server.url)}
    test("a request that fails once has two attempts", async () => {
      expect(await send()).toMatchObject({ statusCode: 200 });
      expect(counts()).toEqual([[1, 1]]);
    });`;
  const result = await runJest("got.test.cjs", source);
  expect(result).toMatchObject({ success: true, numPassedTests: 1 });
}, 60_000);

function bundle(config: webpack.Configuration): Promise<webpack.Compilation> {
  return new Promise((resolve, reject) => {
    webpack(config, (error, stats) => {
      if (stats === undefined) reject(error);
      else resolve(stats.compilation);
    });
  });
}

describe.each([
  ["import", "entry.mjs", imports],
  ["require()", "entry.cjs", requires],
])("webpack, from %s, makes a bundle", (_, entry, load) => {
  async function run(target: "node" | "web"): Promise<{ stdout: string; builtins: string[] }> {
    await project.write(entry, load + use);
    const filename = `${target}-${entry.replace(".", "-")}.cjs`;
    const output = { path: project.folder, filename };
    const context = project.folder;
    // Minifying takes most of webpack's time, and says nothing about modules.
    const optimization = { minimize: false };
    const files = { context, entry: `./${entry}`, output };
    const { errors, modules } = await bundle({
      mode: "production",
      target,
      ...files,
      optimization,
    });
    expect(errors.map(String)).toEqual([]);
    const builtins = [...modules].filter((module) => module instanceof webpack.ExternalModule);
    const { stdout } = await project.node(filename);
    return { stdout, builtins: builtins.map(({ userRequest }) => userRequest) };
  }

  test("for Node (axios-retry #206, retry-axios #93)", async () => {
    const { stdout, builtins } = await run("node");
    expect(stdout).toBe("200 3\n");
    // axios' own: they show that those of a page would be found.
    expect(builtins).toContain("http");
  }, 30_000);

  test("for a page, without anything built into Node (axios-retry #206, retry-axios #93)", async () => {
    expect(await run("web")).toEqual({ stdout: "200 3\n", builtins: [] });
  }, 30_000);
});

test("a process that imports one copy and requires another has one default policy, and each copy takes what the other made", async () => {
  const source = `
    import { createRequire } from "node:module";
    import * as esm from "@retry-budget/core";
    import * as esmAdapter from "@retry-budget/axios";
    import axios from "axios";
    ${flaky}
    const require = createRequire(import.meta.url);
    const cjs = require("@retry-budget/core");
    const cjsAdapter = require("@retry-budget/axios");

    async function attach(...pairs) {
      const { adapter, attempts } = flaky(3);
      const api = axios.create({ adapter });
      for (const [{ retryBudget }, policy] of pairs) retryBudget(api, policy);
      const outcome = await api.get("http://a.example").catch((error) => error);
      return { outcome, attempts: attempts.length };
    }
    async function refused(adapter, core) {
      const { outcome } = await attach([adapter, core.createRetryPolicy({ initial: 0 })]);
      return [esm, cjs].map(({ refusalOf }) => refusalOf(outcome)?.refusal);
    }
    async function retries(adapter, core) {
      const policy = core.createRetryPolicy(quick);
      await attach([adapter, policy]);
      return policy.snapshot().map(({ retries }) => retries);
    }
    const both = [[esmAdapter, esm.createRetryPolicy(quick)], [cjsAdapter, cjs.createRetryPolicy(quick)]];
    console.log(JSON.stringify({
      areTwo: esm.createBudget !== cjs.createBudget && esmAdapter.retryBudget !== cjsAdapter.retryBudget,
      shareTheDefault: esm.defaultRetryPolicy() === cjs.defaultRetryPolicy(),
      retries: [await retries(esmAdapter, cjs), await retries(cjsAdapter, esm)],
      refusals: [await refused(esmAdapter, cjs), await refused(cjsAdapter, esm)],
      attemptsUnderBoth: [
        (await attach(...both)).attempts,
        (await attach(...both.reverse())).attempts,
      ],
    }));`;
  await project.write("both.mjs", source);
  const { stdout, stderr } = await project.node("both.mjs");
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    areTwo: true,
    shareTheDefault: true,
    retries: [[2], [2]],
    refusals: [
      ["budget", "budget"],
      ["budget", "budget"],
    ],
    attemptsUnderBoth: [3, 3],
  });
});
