// A circuit breaker of cockatiel's beside the budget: first attempts are held back as well, for a while.
import { setTimeout } from "node:timers/promises";
import { retryBudget } from "@retry-budget/axios";
import { cockatielBreakers } from "@retry-budget/cockatiel";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import axios from "axios";
import { ConsecutiveBreaker, circuitBreaker, handleAll } from "cockatiel";
import { startServer } from "./server.mjs";

const policy = createRetryPolicy({
  backoff: { base: 10 },
  // Called once for each origin, so that each has its own.
  breakers: cockatielBreakers(() => {
    const breaker = new ConsecutiveBreaker(5);
    return circuitBreaker(handleAll, { halfOpenAfter: 2_000, breaker });
  }),
});
const api = axios.create({ proxy: false });
retryBudget(api, policy);

let isDown = true;
const server = await startServer(() => (isDown ? 503 : 200));
let last;
for (let original = 0; original < 100; original++) {
  last = await api.get(server.url).catch((error) => error);
}
console.log(`An outage: 100 requests are ${server.received()} attempts.`);
console.log(`The last one: ${last.message}, refused for "${refusalOf(last).refusal}".`);

const [{ retries, balance }] = policy.snapshot();
console.log(`Retries: ${retries}; whole tokens left: ${balance}.`);

isDown = false;
let response;
while (response === undefined) {
  // The first request after the two seconds is the probe.
  response = await api.get(server.url).catch(() => setTimeout(100));
}
console.log(`The server is up again: ${response.status}.`);

server.close();
