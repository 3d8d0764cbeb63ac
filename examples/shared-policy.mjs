// One policy for two clients: what one of them spends, the other cannot. And what can be seen of it.
import { retryBudget as budgetAxios } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import { retryBudget as budgetUndici } from "@retry-budget/undici";
import axios from "axios";
import { Agent, request } from "undici";
import { startServer } from "./server.mjs";

const policy = createRetryPolicy({ backoff: { base: 10 } });
const stop = policy.subscribe(({ type, origin }) => {
  if (type !== "exhausted") return;
  console.log(`The budget of ${new URL(origin).hostname} is exhausted.`);
  stop();
});
const dispatcher = new Agent().compose(budgetUndici(policy));
const api = axios.create({ proxy: false });
budgetAxios(api, policy);

const down = await startServer(() => 503);
for (let original = 0; original < 50; original++) {
  const { body } = await request(down.url, { dispatcher });
  await body.dump();
  await api.get(down.url).catch(() => undefined);
}
console.log(`100 requests by two clients are ${down.received()} attempts.`);

const [{ originals, retries, refusals, amplification }] = policy.snapshot();
console.log({ originals, retries, refusals, amplification });

await dispatcher.close();
down.close();
