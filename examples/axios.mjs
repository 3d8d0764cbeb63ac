// A retry budget on an axios instance, with a fresh token for every retry.
import { retryBudget } from "@retry-budget/axios";
import { refusalOf } from "@retry-budget/core";
import axios from "axios";
import { startServer } from "./server.mjs";

const api = axios.create({ proxy: false });
retryBudget(api, {
  backoff: { base: 10 },
  onRetry: ({ attempt, headers }) => headers.set("authorization", `Bearer token-${attempt}`),
});

const shaky = await startServer((number) => (number === 1 ? 503 : 200));
const response = await api.get(shaky.url);
const { authorization } = response.config.headers;
console.log(
  `A rare failure: ${response.status} after ${shaky.received()} attempts, ${authorization}.`,
);

const down = await startServer(() => 503);
let last;
for (let original = 0; original < 100; original++) {
  last = await api.get(down.url).catch((error) => error);
}
console.log(`An outage: 100 requests are ${down.received()} attempts, and not 300.`);
console.log(
  `The last one: ${last.name}, ${last.status}, refused for "${refusalOf(last).refusal}".`,
);

for (const server of [shaky, down]) server.close();
