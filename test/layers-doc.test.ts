import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createRetryPolicy } from "@retry-budget/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FlakyServer, reset, status } from "../packages/testkit/src/index.js";
import { type Run, runBlocks } from "./run-blocks.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = await readFile(`${root}docs/layers.md`, "utf8");
const blocks = Array.from(page.matchAll(/```js\n([\s\S]*?)```/g), ([, block = ""]) => block);
const claim = /the server gets (\d) requests?/;

/** The cells of each row between the two marks, without the head. */
function rowsOf(mark: string): string[][] {
  const [, table = ""] =
    new RegExp(`<!-- ${mark} -->([\\s\\S]*)<!-- /${mark} -->`).exec(page) ?? [];
  return Array.from(table.matchAll(/^\| (.+) \|$/gm), ([, row = ""]) => row.split(" | ")).slice(2);
}

const sdks = rowsOf("sdks").map(
  ([first = "", requests, answers = "", lost = "", post, tells, last = ""]) => {
    const [, name = "", major, on] = /^`([^`]+)` (\d+)(?: with `([^`]+)`)?$/.exec(first) ?? [];
    const [, whenOn, whenOff = 1] = /^(\d)(?:; off: (\d))?$/.exec(lost) ?? [];
    const off = last.slice(1, -1);
    return {
      name,
      major,
      /** What turns its retries on, where they are not on by default. */
      on,
      off,
      requests: Number(requests),
      answers,
      lost: { on: Number(whenOn), off: Number(whenOff) },
      retriesPost: post === "yes",
      tells: tells === "yes",
      /** The block that makes it one request. */
      block: blocks.find((block) => block.includes(`"${name}"`) && block.includes(off)) ?? "",
    };
  },
);

type Sdk = (typeof sdks)[number];

/** A block without its setting. */
const byDefault = ({ off }: Sdk, block: string): string =>
  block.replace(`${off}, `, "").replace(` ${off} `, "");

/** A block in which the SDK retries. */
const retrying = (sdk: Sdk, block: string): string =>
  sdk.on === undefined ? byDefault(sdk, block) : block.replace(sdk.off, sdk.on);

const posts: Record<string, string> = {
  // As it is: the protocol of STS knows no other method.
  "@aws-sdk/client-sts": "client.send(new GetCallerIdentityCommand())",
  openai: 'client.responses.create({ model: "any", input: "hello" })',
  "@anthropic-ai/sdk": 'client.messages.create({ model: "any", max_tokens: 9, messages: [] })',
  stripe: "stripe.customers.create({})",
  gaxios: 'request({ retry: false, method: "POST", url: process.env.API_URL })',
  "@octokit/plugin-retry": 'octokit.request("POST /user")',
  "@elastic/elasticsearch": 'client.index({ index: "items", document: {} })',
};

/** The block with a POST in the place of its call. */
const posting = ({ name, block }: Sdk): string =>
  block.replace(/await .*; \/\/.*/, `await ${posts[name]};`);

const codes = [
  400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 451, 500, 501, 502, 503, 504, 505,
];

/** Whether the table says that this answer is repeated: `408 5xx`, or `4xx but 404`. */
function isRepeated(answers: string, code: number): boolean {
  const [listed, excepted] = answers.split(" but ").map((list) => list.replaceAll("x", "\\d"));
  const isIn = (list = ""): boolean =>
    list.split(" ").some((entry) => new RegExp(`^${entry}$`).test(`${code}`));
  return isIn(listed) && !isIn(excepted);
}

/** The blocks of an SDK in which it retries or does not, with its own call and with a POST. */
const scriptsOf = (sdk: Sdk): Record<string, string> => ({
  get: retrying(sdk, sdk.block),
  "get, off": sdk.block,
  post: retrying(sdk, posting(sdk)),
  "post, off": posting(sdk),
  ...(sdk.on === undefined ? {} : { "nothing said": byDefault(sdk, sdk.block) }),
});

const budgeted = blocks.filter((block) => /@retry-budget.*[\s\S]*the server gets/.test(block));

interface Counted extends Run {
  readonly name: string;
  readonly answer: number | "lost";
  readonly server: FlakyServer;
}

const counted: Counted[] = [];

async function add(name: string, block: string, answer: number | "lost"): Promise<void> {
  const server = await FlakyServer.start(answer === "lost" ? reset() : status(answer));
  counted.push({ name, block, answer, server, url: server.url });
}

// In one process, as it is loading them that takes the time.
beforeAll(async () => {
  for (const sdk of sdks) {
    for (const [name, script] of Object.entries(scriptsOf(sdk))) {
      for (const answer of [...codes, "lost" as const]) await add(sdk.name + name, script, answer);
    }
  }
  for (const block of budgeted)
    for (const answer of [503, "lost"] as const) await add("", block, answer);
  expect(await runBlocks(counted)).toBe("");
}, 120_000);

afterAll(() => Promise.all(counted.map(({ server }) => server.close())));

/** How many requests the servers got that give each of the answers, for each of the blocks. */
function countsOf(sdk: Sdk): Record<string, Record<string, number>> {
  const countsOfBlock = (name: string): Record<string, number> =>
    Object.fromEntries(
      counted
        .filter((run) => run.name === sdk.name + name)
        .map(({ answer, server }) => [answer, server.hits.length]),
    );
  return Object.fromEntries(Object.keys(scriptsOf(sdk)).map((name) => [name, countsOfBlock(name)]));
}

/** What the table says of all of them. */
const told = (requests: (code: number) => number, lost: number): Record<string, number> =>
  Object.fromEntries([...codes.map((code) => [code, requests(code)]), ["lost", lost]]);

describe.each(sdks)("$name, as docs/layers.md tells it,", (sdk) => {
  const { name, major, on, requests, answers, lost, retriesPost, tells, block } = sdk;
  const repeated = told((code) => (isRepeated(answers, code) ? requests : 1), lost.on);
  const sentOnce = told(() => 1, lost.off);

  test("repeats these answers and no others, this often, and with its setting none", () => {
    expect(block).toMatch(/the server gets 1 request\b/);
    expect(new Set(Object.values(scriptsOf(sdk))).size).toBe(Object.keys(scriptsOf(sdk)).length);
    expect(countsOf(sdk)).toEqual({
      get: repeated,
      "get, off": sentOnce,
      post: retriesPost ? repeated : sentOnce,
      "post, off": sentOnce,
      ...(on === undefined ? {} : { "nothing said": sentOnce }),
    });
  });

  test("tells in a header that it repeats a request, or does not", () => {
    const run = counted.find((one) => one.name === `${name}get` && one.answer === 503);
    const refusals = run?.server.hits.slice(1).map(({ headers }) => {
      const requestHeader = (header: string): unknown => headers[header];
      const isReplayable = (): boolean => true;
      const facts = { client: "test", method: "GET", url: run.url, isReplayable, requestHeader };
      const call = createRetryPolicy().call(facts);
      call?.sent();
      return call?.settle({ status: 503 })?.refusal;
    });
    expect(refusals).toEqual(Array(requests - 1).fill(tells ? "layer" : undefined));
  });

  test("is of this major", async () => {
    const { version } = JSON.parse(
      await readFile(`${root}node_modules/${name}/package.json`, "utf8"),
    );
    expect(version).toMatch(new RegExp(`^${major}\\.`));
  });
});

test("the budget under each SDK sends what docs/layers.md says, and warns of no layer", () => {
  expect(budgeted.length).toBeGreaterThan(5);
  for (const { block, server } of counted.filter(({ name }) => name === "")) {
    expect(server.hits, block).toHaveLength(Number(claim.exec(block)?.[1]));
  }
});

test("every proxy has the address of its documentation, and a setting", () => {
  const proxies = rowsOf("proxies");
  expect(proxies.map(([name]) => /^\[(\w+)\]\(https:/.exec(name ?? "")?.[1])).toEqual([
    "Envoy",
    "Istio",
    "Linkerd",
    "nginx",
  ]);
  const settings = ["x-envoy-max-retries: 0", "attempts: 0", "retry.linkerd.io/http", "off"];
  for (const [index, setting] of settings.entries()) {
    expect(proxies[index]?.join(" | ")).toContain(setting);
    expect(page.replace(/<!--[\s\S]*-->/, "")).toContain(setting);
  }
});

test("the relative links of docs/layers.md lead somewhere", async () => {
  for (const [, link = ""] of page.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
    await expect(readFile(`${root}docs/${link}`), link).resolves.toBeDefined();
  }
});
