import { once } from "node:events";
import {
  createRetryPolicy,
  outerCall,
  type RetryPolicy,
  refusalOf,
  runInside,
} from "@retry-budget/core";
import { errorOf, outerOf, type Reply, serve, status } from "@retry-budget/testkit";
import { globalRetryBudget } from "@retry-budget/undici/global";
import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { type AnyFetch, fetches } from "./fetches.js";
import { isUnread } from "./is-unread.js";

const unavailable = status(503);
const ok = status(200);

/** What a budgeted p-retry does: three attempts of the work, which know that they are inside. */
async function retried(work: () => Promise<number>): Promise<number> {
  let isOver = false;
  for (let attempt = 1; ; attempt++) {
    const outer = {
      ...outerOf({ attempt }),
      get isOver() {
        return isOver;
      },
    };
    const code = await runInside(outer, work);
    if (code === 200 || attempt === 3) {
      isOver = true;
      return code;
    }
  }
}

const untouched = { originals: 0, retries: 0, balance: 10 };

test("a retried call around request makes three attempts, on its own budget alone", async () => {
  const server = await serve(unavailable);
  const { dispatcher, policy } = budgetedAgent();
  const refusals: unknown[] = [];
  const code = await retried(async () => {
    const result = await request(server.url, { dispatcher });
    await result.body.dump();
    refusals.push(refusalOf(result)?.refusal);
    return result.statusCode;
  });
  expect([code, server.hits.length, refusals]).toEqual([503, 3, ["layer", "layer", "layer"]]);
  expect(policy.snapshot()).toMatchObject([{ ...untouched, refusals: { layer: 3 } }]);
});

test("inside a retried call a POST is refused for its method, which comes before", async () => {
  const server = await serve(unavailable);
  const { dispatcher } = budgetedAgent();
  const result = await runInside(outerOf(), () =>
    request(server.url, { dispatcher, method: "POST", body: "x" }),
  );
  await result.body.dump();
  expect(refusalOf(result)).toMatchObject({ refusal: "method" });
});

test("a call that has ended leaves what it has started on its own", async () => {
  const server = await serve(unavailable, ok, unavailable);
  const { dispatcher, policy } = budgetedAgent();
  const send = async (): Promise<number> => {
    const { statusCode, body } = await request(server.url, { dispatcher });
    await body.dump();
    return statusCode;
  };
  let later: Promise<number> | undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await retried(() => {
    later ??= ended.then(send);
    return send();
  });
  end();
  expect(await later).toBe(503);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  expect(server.hits).toHaveLength(2 + 3);
});

/** Answers in two parts; what comes of the second is what undici feeds from its socket. */
function inTwo(): { reply: Reply; insides(sent: Promise<Sent>): Promise<Set<unknown>> } {
  let goOn = (): void => undefined;
  const reply: Reply = (response) => {
    response.write("a");
    goOn = () => response.end("b");
  };
  const insides = async (sent: Promise<Sent>): Promise<Set<unknown>> => {
    const { body } = await sent;
    const seen: unknown[] = [];
    body.once("data", () => {
      body.on("data", () => seen.push(outerCall()));
      body.on("end", () => seen.push(outerCall()));
      goOn();
    });
    await once(body, "close");
    expect(seen).toHaveLength(2);
    return new Set(seen);
  };
  return { reply, insides };
}

type Sent = Awaited<ReturnType<typeof request>>;

test("what a body emits is never inside the call that has opened its socket", async () => {
  const { reply, insides } = inTwo();
  const server = await serve(ok, reply);
  const { dispatcher } = budgetedAgent({}, { connections: 1 });
  // It is under way all the time.
  await runInside(outerOf(), async () => (await request(server.url, { dispatcher })).body.text());
  expect(await insides(request(server.url, { dispatcher }))).toEqual(new Set([undefined]));
});

test("what a body emits is inside the call that reads it, on whichever socket", async () => {
  const { reply, insides } = inTwo();
  const server = await serve(ok, reply);
  const { dispatcher } = budgetedAgent({}, { connections: 1 });
  await (await request(server.url, { dispatcher })).body.text();
  const outer = outerOf();
  const seen = await runInside(outer, () => insides(request(server.url, { dispatcher })));
  expect(seen).toEqual(new Set([outer]));
});

describe.each(fetches)("$name under the global dispatchers", ({ name, fetch: anyFetch }) => {
  const isOurs = name !== "the built-in fetch" || !isUnread;

  const globally = (options: object = {}): RetryPolicy => {
    const policy = createRetryPolicy({ backoff: () => 1, ...options });
    const { detach } = globalRetryBudget(policy);
    onTestFinished(detach);
    return policy;
  };
  const sender = (url: string) => async (): Promise<number> => {
    const response = await (anyFetch as AnyFetch["fetch"])(url);
    await response.text();
    return response.status;
  };

  test.runIf(isOurs)("makes three attempts inside a retried call, and not nine", async () => {
    const server = await serve(unavailable);
    const policy = globally();
    expect(await retried(sender(server.url))).toBe(503);
    expect(server.hits).toHaveLength(3);
    expect(policy.snapshot()).toMatchObject([{ ...untouched, refusals: { layer: 3 } }]);
  });

  test.runIf(isOurs)("retries there all the same with oneLayer: false", async () => {
    const server = await serve(unavailable);
    const policy = globally({ oneLayer: false });
    expect(await retried(sender(server.url))).toBe(503);
    expect(server.hits).toHaveLength(9);
    expect(policy.snapshot()).toMatchObject([{ originals: 3, retries: 6, balance: 4 }]);
  });

  test.runIf(isOurs)(
    "tells a request inside from one beside it, on the same connections",
    async () => {
      const [inner, alone] = [await serve(ok, unavailable), await serve(ok, unavailable)];
      globally();
      // The sockets are opened by the others.
      await Promise.all([sender(inner.url)(), retried(sender(alone.url))]);
      const sent = [retried(sender(inner.url)), sender(alone.url)(), sender(alone.url)()];
      expect(await Promise.all(sent)).toEqual([503, 503, 503]);
      expect([inner.hits.length, alone.hits.length]).toEqual([1 + 3, 1 + 6]);
    },
  );

  test.runIf(isOurs)("sends nothing where the outer call has no time left", async () => {
    const server = await serve(ok);
    globally();
    const late = outerOf({ isRetried: false, remaining: () => 0 });
    const error = await errorOf(runInside(late, sender(server.url)));
    expect(error.cause).toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" });
    expect([refusalOf(error)?.refusal, server.hits.length]).toEqual(["deadline", 0]);
  });
});
