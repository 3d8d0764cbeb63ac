// A retry budget beside a limiter. The limiter goes inside, around each attempt: the server that it
// spares counts requests, and a retry is one. Around the whole call it would count the call once,
// and a call that waits for its backoff would hold a slot and send nothing.
//
// The limiter is p-queue and not bottleneck, since it takes a signal: what was aborted in its queue
// gets no slot.
import { retryBudget } from "@retry-budget/undici";
import PQueue from "p-queue";
import { Agent, request } from "undici";
import { limitAttempts } from "./limit-attempts.mjs";
import { startServer } from "./server.mjs";

const options = { backoff: { base: 10 } };

/** Sends 100 requests at once to a service that is down. */
async function outage(compose) {
  const queue = new PQueue({ concurrency: 2 });
  let started = 0;
  queue.on("active", () => started++);
  const dispatcher = compose(new Agent(), limitAttempts(queue), retryBudget(options));
  const down = await startServer(() => 503);
  const load = async () => {
    const { body } = await request(down.url, { dispatcher });
    await body.dump();
  };
  await Promise.all(Array.from({ length: 100 }, load));
  await dispatcher.close();
  down.close();
  return { received: down.received(), started };
}

// undici: what is composed first is nearer to the socket.
const inside = await outage((agent, limiter, budget) => agent.compose(limiter, budget));
console.log(`An outage: 100 requests are ${inside.received} attempts, and not 300.`);
console.log(`Inside the budget, the limiter has counted ${inside.started} of them.`);

const outside = await outage((agent, limiter, budget) => agent.compose(budget, limiter));
console.log(`Outside, it counts ${outside.started} of ${outside.received}.`);
