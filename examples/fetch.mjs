// A retry budget under the fetch that is built into Node, without undici installed.
import { createRetryPolicy } from "@retry-budget/core";
import { globalRetryBudget, requestOptions } from "@retry-budget/undici/global";
import { startServer } from "./server.mjs";

const policy = createRetryPolicy({ backoff: { base: 10 } });
const { dispatcher, detach } = globalRetryBudget(policy);

const shaky = await startServer((number) => (number === 1 ? 503 : 200));
const put = await fetch(shaky.url, { method: "PUT", body: "sent again, byte for byte" });
console.log(`A rare failure: ${put.status} after ${shaky.received()} attempts.`);

const down = await startServer(() => 503);
for (let original = 0; original < 100; original++) await (await fetch(down.url)).arrayBuffer();
console.log(`An outage: 100 requests are ${down.received()} attempts, and not 300.`);

const other = await startServer(() => 503);
const once = dispatcher.compose(requestOptions({ maxAttempts: 1 }));
await (await fetch(other.url, { dispatcher: once })).arrayBuffer();
console.log(`With its own options: ${other.received()} attempt.`);

detach();
for (const server of [shaky, down, other]) server.close();
