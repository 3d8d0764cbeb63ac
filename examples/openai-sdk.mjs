// A retry budget under the SDK of OpenAI, whose own retries are off. Anthropic's takes the same options.
import { createRetryPolicy } from "@retry-budget/core";
import { requestOptions, retryBudget } from "@retry-budget/undici";
import OpenAI from "openai";
import { Agent } from "undici";
import { startServer } from "./server.mjs";

const policy = createRetryPolicy({ backoff: { base: 10 } });
// It sends POST, and would send it again itself: say that this is fine.
const twice = requestOptions({ idempotent: true });
const dispatcher = new Agent().compose(retryBudget(policy), twice);
const options = { apiKey: "none", maxRetries: 0, fetchOptions: { dispatcher } };
const ask = ({ url }) =>
  new OpenAI({ ...options, baseURL: url }).responses.create({ model: "any", input: "hello" });

const shaky = await startServer((number) => (number === 1 ? 503 : 200));
const { status } = await ask(shaky).asResponse();
console.log(`A rare failure: ${status} after ${shaky.received()} attempts.`);

let refusal;
policy.subscribe((event) => {
  if (event.type === "refused") refusal = event.refusal;
});
const down = await startServer(() => 503);
let last;
for (let original = 0; original < 100; original++) {
  await ask(down).catch((error) => {
    last = error;
  });
}
console.log(`An outage: 100 requests are ${down.received()} attempts, and not 300.`);
console.log(`The last one: ${last.constructor.name}, ${last.status}, refused for "${refusal}".`);

await dispatcher.close();
for (const server of [shaky, down]) server.close();
