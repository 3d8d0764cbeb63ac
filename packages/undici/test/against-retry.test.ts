import { setTimeout } from "node:timers/promises";
import { errorOf, type Reply, refusingUrl, serve, status, until } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, interceptors, fetch as npmFetch, request } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { fitsBuiltInFetch } from "./fits-built-in-fetch.js";
import { nodeMajor, undiciMajor } from "./undici-major.js";

// What users feel who leave undici's own retry for a budget: of each pair of tests, the first tells
// what undici does (and fails when it has learnt better), the second what the budget does.

const unavailable = status(503);
const ok = status(200);
const cookies: Reply = (response) => {
  response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("done");
};

/** An agent with undici's own retry, of three attempts. */
function retryingAgent(options: object = {}): Dispatcher {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  return agent.compose(interceptors.retry({ maxRetries: 2, minTimeout: 10, ...options }));
}

/** Sends a request and reads its response. */
async function exchange(url: string, options: object): Promise<[number, string]> {
  const { statusCode, body } = await request(url, options);
  return [statusCode, await body.text()];
}

describe("a PUT of fetch with a text, and a 503 (undici #3288)", () => {
  test("undici's retry fails: the body was used up by the first attempt", async () => {
    const server = await serve(unavailable, ok);
    const options = { dispatcher: retryingAgent(), method: "PUT", body: "text" };
    const error = await errorOf(npmFetch(server.url, options));
    expect(error.cause).toMatchObject({ code: "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH" });
    expect(server.hits).toHaveLength(1);
  });

  test("the budget sends the body again", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent();
    const response = await npmFetch(server.url, { dispatcher, method: "PUT", body: "text" });
    expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
    expect(server.hits.map(({ body }) => String(body))).toEqual(["text", "text"]);
  });
});

describe("a POST that a 503 answers", () => {
  test("undici's retry makes an error of it, without the body", async () => {
    const server = await serve(unavailable);
    const options = { dispatcher: retryingAgent(), method: "POST", body: "pay" };
    const error = await errorOf(request(server.url, options as object));
    expect(error).toMatchObject({ code: "UND_ERR_REQ_RETRY", statusCode: 503 });
  });

  test("the budget hands it over", async () => {
    const server = await serve(unavailable);
    const { dispatcher } = budgetedAgent();
    const options = { dispatcher, method: "POST", body: "pay" };
    expect(await exchange(server.url, options)).toEqual([503, "answer 503"]);
  });
});

describe("retries that are used up (undici #3837, #4222)", () => {
  test("undici's retry throws the last response away", async () => {
    const server = await serve(unavailable);
    const error = await errorOf(request(server.url, { dispatcher: retryingAgent() }));
    expect(error).toMatchObject({ code: "UND_ERR_REQ_RETRY", statusCode: 503 });
    expect(server.hits).toHaveLength(3);
  });

  test.skipIf(undiciMajor > 6)("undici's retry does so when told not to throw, in 6", async () => {
    const server = await serve(unavailable);
    const dispatcher = retryingAgent({ throwOnError: false });
    const error = await errorOf(request(server.url, { dispatcher }));
    expect(error).toMatchObject({ code: "UND_ERR_REQ_RETRY" });
  });

  test.skipIf(undiciMajor < 7)("undici's retry can be told not to, from 7 on", async () => {
    const server = await serve(unavailable);
    const dispatcher = retryingAgent({ throwOnError: false });
    expect(await exchange(server.url, { dispatcher })).toEqual([503, "answer 503"]);
  });

  test("the budget hands the last response over", async () => {
    const server = await serve(unavailable);
    const { dispatcher } = budgetedAgent();
    expect(await exchange(server.url, { dispatcher })).toEqual([503, "answer 503"]);
    expect(server.hits).toHaveLength(3);
  });
});

describe("an abort in the wait (undici PR #5675)", () => {
  const wait = 3000;
  const endedInTime = async (dispatcher: Dispatcher): Promise<unknown> => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    const server = await serve(unavailable);
    const controller = new AbortController();
    const ended = errorOf(request(server.url, { dispatcher, signal: controller.signal }));
    await until(() => timers.mock.calls.some(([, delay]) => delay === wait));
    controller.abort();
    return Promise.race([ended, setTimeout(300, "still waiting")]);
  };
  const long = { minTimeout: wait, maxTimeout: wait };

  test.skipIf(undiciMajor > 7)("undici's retry answers it after the wait, in 6 and 7", async () => {
    expect(await endedInTime(retryingAgent(long))).toBe("still waiting");
  });

  test.skipIf(undiciMajor < 8)("undici's retry answers it at once, from 8 on", async () => {
    expect(await endedInTime(retryingAgent(long))).toMatchObject({ name: "AbortError" });
  });

  test("the budget answers it at once", async () => {
    const { dispatcher } = budgetedAgent({ backoff: () => wait });
    expect(await endedInTime(dispatcher)).toMatchObject({ name: "AbortError" });
  });
});

describe("a 103 before the 200", () => {
  const hints: Reply = (response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeHead(200).end("after hints");
  };

  test.skipIf(undiciMajor > 7)("undici's retry takes it for the response, in 6 and 7", async () => {
    const server = await serve(hints);
    const error = await errorOf(request(server.url, { dispatcher: retryingAgent() }));
    expect(error).toMatchObject({ code: "UND_ERR_REQ_RETRY" });
    expect(error.message).toMatch("does not support the range header");
  });

  test.skipIf(undiciMajor < 8)("undici's retry passes it on, from 8 on", async () => {
    const server = await serve(hints);
    const dispatcher = retryingAgent();
    expect(await exchange(server.url, { dispatcher })).toEqual([200, "after hints"]);
  });

  test("the budget passes it on", async () => {
    const server = await serve(hints);
    const { dispatcher } = budgetedAgent();
    expect(await exchange(server.url, { dispatcher })).toEqual([200, "after hints"]);
  });
});

describe("a Retry-After that is a date (undici PR #4084)", () => {
  const gapUnder = async (dispatcher: Dispatcher): Promise<number> => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    vi.setSystemTime(Date.parse(date) - 400);
    onTestFinished(() => void vi.useRealTimers());
    const server = await serve(status(503, { "retry-after": date }), ok);
    expect(await exchange(server.url, { dispatcher })).toEqual([200, "answer 200"]);
    const [first, second] = server.hits;
    return (second?.at ?? 0) - (first?.at ?? 0);
  };

  test.skipIf(undiciMajor > 6)("undici's retry does not see it, in 6", async () => {
    expect(await gapUnder(retryingAgent())).toBeLessThan(350);
  });

  test.skipIf(undiciMajor < 7)("undici's retry waits for it, from 7 on", async () => {
    expect(await gapUnder(retryingAgent())).toBeGreaterThan(390);
  });

  test("the budget waits for it", async () => {
    const { dispatcher } = budgetedAgent();
    expect(await gapUnder(dispatcher)).toBeGreaterThan(390);
  });
});

describe("a Retry-After that is longer than the longest wait", () => {
  test("undici's retry comes back before its time", async () => {
    const server = await serve(status(503, { "retry-after": "3600" }), ok);
    const dispatcher = retryingAgent({ maxTimeout: 50 });
    expect(await exchange(server.url, { dispatcher })).toEqual([200, "answer 200"]);
  });

  test("the budget hands the response over", async () => {
    const server = await serve(status(503, { "retry-after": "3600" }), ok);
    const { dispatcher } = budgetedAgent({ maxRetryAfter: 50 });
    expect(await exchange(server.url, { dispatcher })).toEqual([503, "answer 503"]);
  });
});

describe("two cookies, by the built-in fetch (undici #3934)", () => {
  const cookiesBy = async (dispatcher: Dispatcher): Promise<string[]> => {
    const server = await serve(unavailable, cookies);
    const response = await fetch(server.url, { dispatcher } as object);
    return response.headers.getSetCookie();
  };
  const isFolding = undiciMajor === 7 && nodeMajor < 24;

  test.skipIf(!isFolding)("undici's retry makes one of them, 7 under Node 20 and 22", async () => {
    expect(await cookiesBy(retryingAgent())).toEqual(["a=1,b=2"]);
  });

  test.skipIf(isFolding || !fitsBuiltInFetch)("undici's retry keeps them, elsewhere", async () => {
    expect(await cookiesBy(retryingAgent())).toEqual(["a=1", "b=2"]);
  });

  test("the budget keeps them", async () => {
    const { dispatcher } = budgetedAgent();
    expect(await cookiesBy(dispatcher)).toEqual(["a=1", "b=2"]);
  });
});

describe("a POST whose connection was refused, and so was never sent", () => {
  const attemptsUnder = async (
    retries: Dispatcher.DispatcherComposeInterceptor,
  ): Promise<number> => {
    let attempts = 0;
    const counting: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      attempts++;
      return dispatch(options, handler);
    };
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const dispatcher = agent.compose(counting, retries);
    const options = { dispatcher, method: "POST", body: "pay" } as const;
    const error = await errorOf(request(await refusingUrl(), options));
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
    return attempts;
  };

  test("undici's retry gives it up", async () => {
    expect(await attemptsUnder(interceptors.retry({ maxRetries: 2, minTimeout: 10 }))).toBe(1);
  });

  test("the budget sends it again", async () => {
    expect(await attemptsUnder(retryBudget({ backoff: () => 1 }))).toBe(3);
  });
});

describe("twenty requests in an outage, with two tokens", () => {
  const hitsUnder = async (dispatcher: Dispatcher): Promise<number> => {
    const server = await serve(unavailable);
    for (let sent = 0; sent < 20; sent++) {
      await exchange(server.url, { dispatcher }).catch(() => undefined);
    }
    return server.hits.length;
  };

  test("undici's retry sends sixty", async () => {
    expect(await hitsUnder(retryingAgent({ minTimeout: 1 }))).toBe(60);
  });

  test("the budget sends twenty-four", async () => {
    const { dispatcher } = budgetedAgent({ initial: 2 });
    expect(await hitsUnder(dispatcher)).toBe(24);
  });
});
