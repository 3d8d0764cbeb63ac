// A retry budget on an extended got instance. got's own `retry` options keep their meaning.
import { refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import got from "got";
import { startServer } from "./server.mjs";

const client = got.extend(retryBudget({ capacity: 10 }), {
  // got waits a second by default: too long for an example.
  retry: { calculateDelay: ({ computedValue }) => computedValue && 10 },
});

const shaky = await startServer((number) => (number === 1 ? 503 : 200));
const { statusCode } = await client(shaky.url);
console.log(`A rare failure: ${statusCode} after ${shaky.received()} attempts.`);

const down = await startServer(() => 503);
let last;
for (let original = 0; original < 100; original++) {
  last = await client(down.url).catch((error) => error);
}
console.log(`An outage: 100 requests are ${down.received()} attempts, and not 300.`);
console.log(`The last one: ${last.name}, refused for "${refusalOf(last).refusal}".`);

for (const server of [shaky, down]) server.close();
