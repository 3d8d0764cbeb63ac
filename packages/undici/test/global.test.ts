import { gzipSync } from "node:zlib";
import { type FlakyServer, type Reply, serve, status } from "@retry-budget/testkit";
import "undici";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { fitsBuiltInFetch } from "./fits-built-in-fetch.js";
import { buildForChildren, inChild, undiciUrl } from "./in-child.js";
import { isUnread } from "./is-unread.js";
import { nodeMajor, undiciMajor } from "./undici-major.js";

const unavailable = status(503);
const ok = status(200);
const cookies: Reply = (response) => {
  response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("done");
};

const npm = undiciUrl();

/** For a child: what one request came to. */
const ask = `
  async function ask(fetch, url, init) {
    const response = await fetch(url, init);
    return [response.status, await response.text(), response.headers.getSetCookie().length];
  }
  const policyOptions = { backoff: () => 1 };
  const print = (value) => console.log(JSON.stringify(value));
`;

const bodies = ({ hits }: FlakyServer): string[] =>
  hits.map(({ method, body }) => `${method} ${body}`.trim());

beforeAll(buildForChildren, 60_000);
vi.setConfig({ testTimeout: 30_000 });

/** For a child: whether both global dispatchers are the ones that they were before. */
const symbols = `
  const symbols = [1, 2].map((n) => Symbol.for("undici.globalDispatcher." + n));
  const now = () => symbols.map((symbol) => globalThis[symbol]);
  const isAsBefore = (before) => now().every((dispatcher, n) => dispatcher === before[n]);
`;

describe("importing the package", () => {
  test.each(["@retry-budget/undici", "@retry-budget/undici/global"])(
    "leaves both global dispatchers as they were: %s (undici #5500, #5858)",
    async (name) => {
      const untouched = await inChild(`
        ${symbols}
        await import(${JSON.stringify(name)});
        const fresh = now().every((dispatcher) => dispatcher === undefined);
        await fetch("data:,x");
        const before = now();
        await import(${JSON.stringify(name)});
        console.log(JSON.stringify([fresh, isAsBefore(before)]));
      `);
      expect(untouched).toEqual([true, true]);
    },
  );

  test("leaves the built-in fetch its redirects, content-length and gzip (undici #4960, #4989, #5858)", async () => {
    const zipped: Reply = (response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("unzipped"));
    };
    const server = await serve(status(307, { location: "/there" }), zipped);
    const answer = await inChild(`
      import "@retry-budget/undici";
      ${ask}
      print(await ask(fetch, ${JSON.stringify(server.url)}, { method: "PUT", body: "whole" }));
    `);
    expect(answer).toEqual([200, "unzipped", 0]);
    expect(bodies(server)).toEqual(["PUT whole", "PUT whole"]);
    expect(server.hits.map(({ headers }) => headers["content-length"])).toEqual(["5", "5"]);
  });
});

test("the dispatcher that is built into Node takes the budget: a GET is retried, a PUT replayed, two cookies stay two", async () => {
  const server = await serve(unavailable, cookies, unavailable, ok);
  const answers = await inChild(`
    import { retryBudget } from "@retry-budget/undici";
    ${ask}
    await fetch("data:,x");
    const builtIn =
      globalThis[Symbol.for("undici.globalDispatcher.2")] ??
      globalThis[Symbol.for("undici.globalDispatcher.1")];
    const dispatcher = builtIn.compose(retryBudget(policyOptions));
    const url = ${JSON.stringify(server.url)};
    print([
      await ask(fetch, url, { dispatcher }),
      await ask(fetch, url, { dispatcher, method: "PUT", body: "whole" }),
    ]);
  `);
  expect(answers).toEqual([
    [200, "done", 2],
    [200, "answer 200", 0],
  ]);
  expect(bodies(server)).toEqual(["GET", "GET", "PUT whole", "PUT whole"]);
});

describe("globalRetryBudget", () => {
  test("needs no undici of npm: a GET is retried, a PUT replayed, two cookies stay two, and detach() undoes it", async () => {
    const server = await serve(unavailable, cookies, unavailable, ok, unavailable);
    const answers = await inChild(`
      import { globalRetryBudget } from "@retry-budget/undici/global";
      ${ask}
      const url = ${JSON.stringify(server.url)};
      const { detach } = globalRetryBudget(policyOptions);
      const answers = [
        await ask(fetch, url),
        await ask(fetch, url, { method: "PUT", body: "whole" }),
      ];
      detach();
      print([...answers, await ask(fetch, url)]);
    `);
    expect(answers).toEqual([
      [200, "done", 2],
      [200, "answer 200", 0],
      [503, "answer 503", 0],
    ]);
    expect(bodies(server)).toEqual(["GET", "GET", "PUT whole", "PUT whole", "GET"]);
  });

  const load = `const npm = (await import(${JSON.stringify(npm)})).default;`;
  const attach = "const { detach } = globalRetryBudget(policyOptions);";

  /** The statuses that both fetches get in turn, with the budget and after detach(). */
  const statusesAfter = async (steps: string): Promise<unknown> => {
    const server = await serve(unavailable, ok, unavailable, ok, unavailable);
    const statuses = await inChild(`
      import { globalRetryBudget } from "@retry-budget/undici/global";
      ${ask}
      ${steps}
      const url = ${JSON.stringify(server.url)};
      const answers = [await ask(fetch, url), await ask(npm.fetch, url)];
      detach();
      print([...answers, await ask(fetch, url), await ask(npm.fetch, url)].map(([code]) => code));
    `);
    return [statuses, server.hits.length];
  };

  test.each([
    ["before any fetch", `${load} ${attach}`],
    ["after a fetch", `await fetch("data:,x"); ${load} ${attach}`],
  ])(
    "is the budget of both fetches where undici was loaded before it, %s, and of none after detach()",
    async (_, steps) => {
      expect(await statusesAfter(steps)).toEqual([[200, 200, 503, 503], 6]);
    },
  );

  // Node 22 does not set the symbol by which undici 8 tells whether it is the first.
  const isReplaced = undiciMajor === 8 && nodeMajor === 22;

  test.skipIf(isReplaced)(
    "is the budget of both fetches where undici was loaded after it (all but undici 8 on Node 22)",
    async () => {
      expect(await statusesAfter(`${attach} ${load}`)).toEqual([[200, 200, 503, 503], 6]);
    },
  );

  test.runIf(isReplaced)(
    "is replaced where undici was loaded after it (only undici 8 on Node 22) (undici #5500, #5858)",
    async () => {
      const [statuses] = (await statusesAfter(`${attach} ${load}`)) as unknown[];
      // Each takes the next reply: nobody retries.
      expect(statuses).toEqual([503, 200, 503, 200]);
    },
  );

  test("has one budget for all that is sent through it", async () => {
    const server = await serve(unavailable);
    const snapshot = await inChild(`
      import { createRetryPolicy } from "@retry-budget/core";
      import { globalRetryBudget } from "@retry-budget/undici/global";
      const npm = (await import(${JSON.stringify(npm)})).default;
      const policy = createRetryPolicy({ initial: 3, backoff: () => 1 });
      globalRetryBudget(policy);
      const url = ${JSON.stringify(server.url)};
      for (const send of [fetch, npm.fetch, fetch]) await (await send(url)).text();
      console.log(JSON.stringify(policy.snapshot()));
    `);
    expect(snapshot).toMatchObject([{ origin: server.url, originals: 3, retries: 3, balance: 0 }]);
    expect(server.hits).toHaveLength(6);
  });

  test("detach() puts the dispatchers back that were there", async () => {
    const restored = await inChild(`
      import { globalRetryBudget } from "@retry-budget/undici/global";
      ${symbols}
      ${load}
      await fetch("data:,x");
      const before = now();
      const { detach } = globalRetryBudget();
      const attached = isAsBefore(before);
      detach();
      console.log(JSON.stringify([attached, isAsBefore(before)]));
    `);
    expect(restored).toEqual([false, true]);
  });

  test("detach() leaves a dispatcher alone that somebody has set since", async () => {
    const server = await serve(unavailable, ok);
    const codes = await inChild(`
      import { retryBudget } from "@retry-budget/undici";
      import { globalRetryBudget } from "@retry-budget/undici/global";
      ${load}
      const { detach } = globalRetryBudget({ maxAttempts: 1 });
      npm.setGlobalDispatcher(new npm.Agent().compose(retryBudget({ backoff: () => 1 })));
      detach();
      const { status } = await npm.fetch(${JSON.stringify(server.url)});
      console.log(JSON.stringify([status]));
    `);
    expect([codes, server.hits.length]).toEqual([[200], 2]);
  });

  test("gives its dispatcher to compose on, from which detach() takes the budget as well", async () => {
    const server = await serve(unavailable, ok, unavailable);
    const statuses = await inChild(`
      import { globalRetryBudget } from "@retry-budget/undici/global";
      ${ask}
      const url = ${JSON.stringify(server.url)};
      const budget = globalRetryBudget(policyOptions);
      const init = { dispatcher: budget.dispatcher.compose((dispatch) => (o, h) => dispatch(o, h)) };
      const [first] = await ask(fetch, url, init);
      budget.detach();
      const [second] = await ask(fetch, url, init);
      print([first, second]);
    `);
    expect([statuses, server.hits.length]).toEqual([[200, 503], 3]);
  });

  /** Our warnings where somebody has set a global dispatcher by the undici of npm. */
  const warningsAfter = (steps: string): Promise<unknown> =>
    inChild(`
      import { globalRetryBudget } from "@retry-budget/undici/global";
      import { setImmediate } from "node:timers/promises";
      ${steps}
      npm.setGlobalDispatcher(new npm.Agent());
      const warnings = [];
      process.on("warning", ({ name, code, message }) => {
        if (name === "RetryBudgetWarning") warnings.push([code, message]);
      });
      globalRetryBudget();
      await setImmediate();
      console.log(JSON.stringify(warnings));
    `);

  describe.each([
    ["before any fetch", load],
    ["after a fetch", `await fetch("data:,x"); ${load}`],
  ])("where a dispatcher was set by setGlobalDispatcher() %s", (_, steps) => {
    test.runIf(isUnread)(
      "warns that the built-in fetch does not read it (only Node 26 with undici 6) (undici #3973)",
      async () => {
        const message = expect.stringMatching(
          /older undici \(6, .* the fetch of Node v\d.* does not read/,
        );
        expect(await warningsAfter(steps)).toEqual([["RETRY_BUDGET_GLOBAL", message]]);
      },
    );

    test.skipIf(isUnread)(
      "has nothing to warn of (all but Node 26 with undici 6) (undici #3973)",
      async () => {
        expect(await warningsAfter(steps)).toEqual([]);
      },
    );
  });

  test.runIf(fitsBuiltInFetch)(
    "throws where the dispatcher that somebody has set has no compose(), and leaves it (all but undici 8 under Node 20 to 24, and 6 under Node 26)",
    async () => {
      const [error, untouched] = (await inChild(`
        import { globalRetryBudget } from "@retry-budget/undici/global";
        ${symbols}
        ${load}
        npm.setGlobalDispatcher({ dispatch: () => true });
        const before = now();
        let error;
        try {
          globalRetryBudget();
        } catch (thrown) {
          error = String(thrown);
        }
        console.log(JSON.stringify([error, isAsBefore(before)]));
      `)) as unknown[];
      expect(error).toBe(
        "Error: The retry budget cannot be put under the global dispatcher: what is there has no " +
          "`compose()`. Set an Agent of undici (6.19 or later) by setGlobalDispatcher() before, or " +
          "leave that call out.",
      );
      expect(untouched).toBe(true);
    },
  );
});
