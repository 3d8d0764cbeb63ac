// A reverse proxy with one retry budget for each cluster of upstreams. What it is made of is in
// gateway/; here, one of two upstreams is killed.
import { createGateway } from "./gateway/create-gateway.mjs";
import { startServer } from "./server.mjs";

const [first, second] = [await startServer(() => 200), await startServer(() => 200)];
const clusters = { items: [first.url, second.url] };
const gateway = createGateway(clusters, { backoff: { base: 10 } });
const address = await gateway.listen({ port: 0, host: "127.0.0.1" });

async function successes(count, method) {
  let succeeded = 0;
  for (let sent = 0; sent < count; sent++) {
    const { ok } = await fetch(`${address}/items/${sent}`, { method });
    if (ok) succeeded++;
  }
  return `${succeeded} of ${count} ${method}s succeed`;
}

console.log(`Both are up: ${await successes(20, "GET")}.`);
second.close();
console.log(`One is killed: ${await successes(20, "GET")}, as long as the budget lasts.`);
console.log(`After that: ${await successes(100, "GET")}, half of them and a tenth.`);
console.log(`What must not be sent twice: ${await successes(20, "POST")}.`);

const [{ upstreams, ...cluster }] = await (await fetch(`${address}/upstreams`)).json();
console.log(cluster);
for (const { attempts, failures } of upstreams) {
  console.log(`An upstream: ${attempts} attempts, ${failures} failures.`);
}

await gateway.close();
first.close();
