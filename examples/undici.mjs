// A retry budget under undici, and under the fetch that is built into Node.
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/undici";
import { Agent, request } from "undici";
import { startServer } from "./server.mjs";

const policy = createRetryPolicy({ backoff: { base: 10 } });
const dispatcher = new Agent().compose(retryBudget(policy));

const shaky = await startServer((number) => (number === 1 ? 503 : 200));
const response = await fetch(shaky.url, { dispatcher });
console.log(`A rare failure: ${response.status} after ${shaky.received()} attempts.`);

const down = await startServer(() => 503);
let last;
for (let original = 0; original < 100; original++) {
  last = await request(down.url, { dispatcher });
  await last.body.dump();
}
console.log(`An outage: 100 requests are ${down.received()} attempts, and not 300.`);
console.log(`The last one: status ${last.statusCode}, refused for "${refusalOf(last).refusal}".`);

await dispatcher.close();
for (const server of [shaky, down]) server.close();
