// A retry budget under p-retry, around fetch. fetch does not reject on a 503, so a check does.
import { refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/p-retry";
import pRetry, { AbortError } from "p-retry";
import { startServer } from "./server.mjs";

const retry = retryBudget({ pRetry, AbortError });

async function load(url) {
  const response = await fetch(url);
  if (response.ok) return response;
  const error = new Error(`${url} answered ${response.status}`);
  // What the caller did wrong, no retry will mend.
  const isTransient = response.status >= 500 || response.status === 429;
  throw isTransient ? error : new AbortError(error);
}
const loadWithRetries = (url) =>
  retry(() => load(url), { minTimeout: 10, retryBudget: { key: url } });

const shaky = await startServer((number) => (number === 1 ? 503 : 200));
const { status } = await loadWithRetries(shaky.url);
console.log(`A rare failure: ${status} after ${shaky.received()} attempts.`);

const down = await startServer(() => 503);
let last;
for (let original = 0; original < 100; original++) {
  last = await loadWithRetries(down.url).catch((error) => error);
}
console.log(`An outage: 100 requests are ${down.received()} attempts, and not 300.`);
console.log(`The last one: ${last.name}, refused for "${refusalOf(last).refusal}".`);

for (const server of [shaky, down]) server.close();
