import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import * as ours from "@retry-budget/axios";
import * as core from "@retry-budget/core";
import * as oursOfPRetry from "@retry-budget/p-retry";
import axios, { AxiosError, type AxiosInstance } from "axios";
import * as axiosRetry from "axios-retry";
import got from "got";
import * as pRetryModule from "p-retry";
import * as retryAxios from "retry-axios";
import { build } from "vite";
import { describe, expect, test } from "vitest";
import { policyFields } from "../packages/budget-core/src/policy-fields.js";
import { requestFields } from "../packages/budget-core/src/request-options.js";
import { serve, status } from "../packages/testkit/src/index.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): Promise<string> => readFile(root + path, "utf8");
const guides = ["axios-retry", "retry-axios", "got-retry", "p-retry"];

/** The cells of each row between the two marks. */
async function tableOf(guide: string, mark: string): Promise<string[][]> {
  const page = await read(`docs/migrate/${guide}.md`);
  const [, table = ""] =
    new RegExp(`<!-- ${mark} -->([\\s\\S]*)<!-- /${mark} -->`).exec(page) ?? [];
  const rows = table.matchAll(/^\| (`.+) \|$/gm);
  return Array.from(rows, ([, row = ""]) => row.split(" | "));
}

const namesIn = (cell = ""): string[] =>
  Array.from(cell.matchAll(/`(\w+)/g), ([, name = ""]) => name);

/** The members of an interface in the declarations of a package. */
async function membersOf(path: string, name: string): Promise<string[]> {
  const [, body = ""] =
    new RegExp(`interface ${name} \\{([\\s\\S]*?)\\n\\}`).exec(await read(path)) ?? [];
  return Array.from(body.matchAll(/^ {4}(\w+)\?:/gm), ([, member = ""]) => member);
}

/** Name and default of each option of p-retry 7, the default as its declarations write it. */
async function pRetryOptions(): Promise<[name: string, value: string | undefined][]> {
  const declarations = await read("node_modules/p-retry/index.d.ts");
  const [, body = ""] = /type Options = \{([\s\S]*?)\n\};/.exec(declarations) ?? [];
  // What stands before each option is its comment.
  return Array.from(
    body.matchAll(/([\s\S]*?)^\treadonly (\w+)\?:/gm),
    ([, comment = "", name = ""]) => [name, /@default (\w+)/.exec(comment)?.[1]],
  );
}

const optionsOf: Record<string, () => Promise<string[]>> = {
  "got-retry": async () => Object.keys(got.defaults.options.retry),
  "p-retry": async () => [
    ...(await pRetryOptions()).map(([name]) => name),
    // Of the library that p-retry 5 and 6 stand on.
    "forever",
  ],
  "axios-retry": () =>
    membersOf("node_modules/axios-retry/dist/esm/index.d.ts", "IAxiosRetryConfig"),
  "retry-axios": () => membersOf("node_modules/retry-axios/build/src/index.d.ts", "RetryConfig"),
};

/** What each peer takes where nothing is given. */
const defaultsOf: Record<string, () => Promise<object>> = {
  "got-retry": async () => got.defaults.options.retry,
  "p-retry": async () =>
    Object.fromEntries(
      (await pRetryOptions()).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value.startsWith("f") ? false : Number(value)]],
      ),
    ),
  "axios-retry": async () => axiosRetry.DEFAULT_OPTIONS,
  "retry-axios": async () => {
    const instance = axios.create({
      adapter: (config) => Promise.reject(new AxiosError("no", "ERR_BAD_REQUEST", config)),
    });
    retryAxios.attach(instance as AxiosInstance);
    const error = await instance.post("/").catch((reason: AxiosError) => reason);
    const { errors: _, currentRetryAttempt: __, ...settings } = error.config?.raxConfig ?? {};
    return settings;
  },
};

/** What each exports. got's own retries are no module of theirs. */
const moduleOf: Record<string, object> = {
  "axios-retry": axiosRetry,
  "retry-axios": retryAxios,
  "p-retry": pRetryModule,
};

/** What a guide may name, beside the policy's options, a request's, and what core exports. */
const ownNamesOf: Record<string, () => Promise<string[]>> = {
  "axios-retry": async () => axiosNames(),
  "retry-axios": async () => axiosNames(),
  "p-retry": async () => [
    ...Object.keys(oursOfPRetry),
    ...Object.keys(oursOfPRetry.retryBudget({ pRetry: pRetryModule.default, ...pRetryModule })),
    // Under p-retry its own options stay, and one is told what they are worth.
    ...((await optionsOf["p-retry"]?.()) ?? []),
    ...Object.keys(pRetryModule),
    "Infinity",
    "retriesLeft",
    "retry",
  ],
};

const axiosNames = (): string[] => [
  ...Object.keys(ours),
  ...Object.keys(ours.retryBudget(axios.create(), core.createRetryPolicy())),
];

describe.each(guides)("the guide for %s", (guide) => {
  test("lists every option of its, and no other", async () => {
    const listed = (await tableOf(guide, "options")).flatMap(([name]) => namesIn(name));
    expect(listed.sort()).toEqual((await optionsOf[guide]?.())?.sort());
    expect(listed.length).toBeGreaterThan(6);
  });

  test("names its defaults", async () => {
    const table = await tableOf(guide, "options");
    const defaults = Object.entries((await defaultsOf[guide]?.()) ?? {});
    expect(defaults.length).toBeGreaterThan(6);
    for (const [name, value] of defaults) {
      const [, cell] = table.find(([option]) => option === `\`${name}\``) ?? [];
      // Its functions that do nothing are called as their options are.
      const own = typeof value === "function" && value.name !== name ? value.name : undefined;
      const text = typeof value === "number" ? String(value) : JSON.stringify(value);
      const shown = typeof value === "function" ? own : text;
      expect(cell, name).toBe(shown === undefined ? "none" : `\`${shown}\``);
    }
  });

  test("lists every export of its, and no other", async () => {
    const listed = (await tableOf(guide, "exports")).flatMap(([names]) => namesIn(names));
    expect(listed.sort()).toEqual(Object.keys(moduleOf[guide] ?? {}).sort());
  });

  test("names nothing of ours that does not exist", async () => {
    const known = [
      ...Object.keys(policyFields),
      ...Object.keys(requestFields),
      ...Object.keys(core),
      ...((await ownNamesOf[guide]?.()) ?? []),
      "subscribe",
    ];
    const named = [
      ...(await tableOf(guide, "options")).flatMap(([, , here]) => namesIn(here)),
      ...(await tableOf(guide, "exports")).flatMap(([, instead]) => namesIn(instead).slice(0, 1)),
    ];
    expect(known).toEqual(expect.arrayContaining(named));
    expect(core.createRetryPolicy()).toHaveProperty("subscribe");
  });

  test("has examples that run as they stand, and send what they say", async () => {
    const page = await read(`docs/migrate/${guide}.md`);
    const blocks = Array.from(page.matchAll(/```js\n([\s\S]*?)```/g), ([, block = ""]) => block);
    expect(blocks.length).toBeGreaterThan(2);
    for (const block of blocks) {
      const server = await serve(status(503), status(503), status(200));
      expect(await run(block, server.url), block).toBe("");
      const [, said] = /the server gets (\d) requests?/.exec(block) ?? [];
      expect(server.hits, block).toHaveLength(Number(said));
    }
  }, 60_000);
});

/** What a script says on stderr, which is nothing if it ends well. */
async function run(script: string, url: string): Promise<string> {
  const node = spawn(process.execPath, ["--input-type=module"], {
    cwd: `${root}packages/axios`,
    // No proxy of this machine's.
    env: { PATH: process.env["PATH"], API_URL: url },
  });
  node.stdin.end(script);
  node.stdout.resume();
  const [said, [code]] = await Promise.all([text(node.stderr), once(node, "close")]);
  return code === 0 ? said : `${said}exit code ${code}`;
}

test("the relative links of the guides lead somewhere", async () => {
  for (const file of await readdir(`${root}docs/migrate`)) {
    const page = await read(`docs/migrate/${file}`);
    for (const [, link = ""] of page.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      await expect(read(`docs/migrate/${link}`), link).resolves.toBeDefined();
    }
  }
});

test("fromAxiosRetry is not in the bundle of an application that does not use it", async () => {
  const bundleOf = async (name: string): Promise<string> => {
    const entry = "virtual:entry";
    const source = `import { ${name} } from "@retry-budget/axios"; globalThis.used = ${name};`;
    const plugin = {
      name: "entry",
      resolveId: (id: string) => (id === entry ? id : undefined),
      load: (id: string) => (id === entry ? source : undefined),
    };
    const built = await build({
      configFile: false,
      logLevel: "silent",
      root: `${root}packages/axios`,
      resolve: { conditions: ["@retry-budget/source"] },
      plugins: [plugin],
      build: { write: false, rollupOptions: { input: entry } },
    });
    return JSON.stringify(built);
  };
  expect(await bundleOf("fromAxiosRetry")).toContain("retryCondition");
  expect(await bundleOf("retryBudget")).not.toContain("retryCondition");
});
