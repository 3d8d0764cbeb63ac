// A tier of deadline-chain.test.ts, in a process of its own.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createIncoming, forNode, outgoing } from "@retry-budget/context";
import { createRetryPolicy, outerCall, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/undici";
import { Agent, request } from "undici";
import { answerParent } from "../packages/lab/dist/answer-parent.js";

const { next, spends = 0, isHeld = false, ...options } = JSON.parse(process.argv[2]);
/** What the headers of each request said. */
const deadlines = [];
const ends = [];
const handled = [];
let release = () => undefined;
const gate = new Promise((resolve) => {
  release = resolve;
});

const backoff = { base: 1, max: 1 };
const marks = next && outgoing({ origins: [next] });
const policy = createRetryPolicy({ backoff, ...options, ...(next && { marks }) });
const dispatcher = new Agent().compose(retryBudget(policy));

/** The last tier is in outage. */
async function callNext() {
  if (next === undefined) return { status: 503 };
  try {
    const response = await request(next, { dispatcher });
    await response.body.dump();
    return { status: response.statusCode, refusal: refusalOf(response)?.refusal };
  } catch (error) {
    const status = /TIMEOUT/.test(error.code) ? 504 : 502;
    return { status, code: error.code, refusal: refusalOf(error)?.refusal };
  }
}

/** Timers may come a little early. */
async function spend() {
  const end = performance.now() + spends;
  while (performance.now() < end) await sleep(1);
  if (!isHeld) return;
  await gate;
  // The time that a request was on its way is not in what its header says: here a little may be left.
  while ((outerCall()?.remaining() ?? 0) > 0) await sleep(1);
}

async function handle(incoming, response) {
  incoming.resume();
  await spend();
  const end = await callNext();
  ends.push(end);
  response.writeHead(end.status).end(JSON.stringify(end));
}

const server = createServer(
  forNode(createIncoming(), (incoming, response) => {
    deadlines.push(incoming.headers["retry-budget-deadline"]);
    handled.push(handle(incoming, response));
  }),
);
server.listen(0, "127.0.0.1");
const listening = once(server, "listening");

const answers = {
  port: async () => {
    await listening;
    return server.address().port;
  },
  release: () => release(),
  /** Once all that has come is answered, or has nobody who waits for it any more. */
  seen: async () => {
    await Promise.all(handled);
    return { deadlines, ends };
  },
};
answerParent((question) => answers[question]());
