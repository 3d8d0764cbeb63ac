import { errorOf, serve, status } from "@retry-budget/testkit";
import { Agent, getGlobalDispatcher, fetch as npmFetch, setGlobalDispatcher } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgeted } from "./budgeted.js";
import { fetches } from "./fetches.js";
import { fitsBuiltInFetch } from "./fits-built-in-fetch.js";
import { isUnread } from "./is-unread.js";
import { nodeMajor, undiciMajor } from "./undici-major.js";

describe.each(fetches)(
  `$name on Node ${nodeMajor} with undici ${undiciMajor} of npm`,
  ({ fetch: anyFetch }) => {
    test("retries with the dispatcher that it is given (undici #3973)", async () => {
      const server = await serve(status(503), status(200));
      const { dispatcher, policy } = budgeted(new Agent());
      const response = await anyFetch(server.url, { dispatcher });
      expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
      expect(server.hits).toHaveLength(2);
      expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
    });

    test("gets a 404 as it is, and a stream of it to read (undici #3973)", async () => {
      const server = await serve(status(404, { "set-cookie": "a=1" }));
      const { dispatcher, policy } = budgeted(new Agent());
      const response = await anyFetch(server.url, { dispatcher });
      expect([response.status, response.headers.getSetCookie()]).toEqual([404, ["a=1"]]);
      expect(await response.text()).toBe("answer 404");
      expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 0, balance: 10 }]);
    });
  },
);

test.skipIf(fitsBuiltInFetch)(
  "without a budget the built-in fetch cannot use it (8 under Node 22 and 24, 6 under Node 26) (undici #3973)",
  async () => {
    const server = await serve(status(200));
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const error = await errorOf(fetch(server.url, { dispatcher: agent } as object));
    expect(error.cause).toMatchObject({ message: expect.stringMatching(/^invalid on\w+ method$/) });
    expect(server.hits).toHaveLength(0);
  },
);

describe(`set as the global dispatcher of undici ${undiciMajor} on Node ${nodeMajor}`, () => {
  const useGlobally = (): ReturnType<typeof budgeted> => {
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    const made = budgeted(new Agent());
    setGlobalDispatcher(made.dispatcher);
    return made;
  };

  test("the budget is npm's own fetch's (undici #3973)", async () => {
    const server = await serve(status(503), status(200));
    const { policy } = useGlobally();
    expect(await npmFetch(server.url)).toMatchObject({ status: 200 });
    expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
  });

  test.skipIf(isUnread)(
    "the budget is the built-in fetch's, too (all but Node 26 with undici 6) (undici #3973)",
    async () => {
      const server = await serve(status(503), status(200));
      const { policy } = useGlobally();
      const response = await fetch(server.url);
      expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
      expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
    },
  );

  test.runIf(isUnread)(
    "the built-in fetch does not see it (only Node 26 with undici 6) (undici #3973)",
    async () => {
      const server = await serve(status(503), status(200));
      const { policy } = useGlobally();
      const response = await fetch(server.url);
      expect([response.status, await response.text()]).toEqual([503, "answer 503"]);
      expect(policy.snapshot()).toEqual([]);
    },
  );
});
