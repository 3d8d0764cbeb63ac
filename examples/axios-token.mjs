// A bearer token that expires: each retry carries a fresh one, and a 401 is a reason to retry.
import { once } from "node:events";
import { createServer } from "node:http";
import { retryBudget } from "@retry-budget/axios";
import axios from "axios";

let valid = "token-1";
let issued = 1;
/** Stands for a call of your identity provider. */
async function freshToken() {
  issued++;
  valid = `token-${issued}`;
  return valid;
}

const api = axios.create({ proxy: false, headers: { Authorization: "Bearer token-1" } });
retryBudget(api, {
  backoff: { base: 10 },
  classify: ({ status }) => (status === 401 ? "transient" : undefined),
  // Right before a retry is sent, after its wait: a token of before might have expired in it.
  onRetry: async ({ headers }) => {
    const token = await freshToken();
    headers.set("Authorization", `Bearer ${token}`);
    // For this client's next requests, too.
    api.defaults.headers.Authorization = `Bearer ${token}`;
  },
});

const server = createServer(({ headers }, response) => {
  const status = headers.authorization === `Bearer ${valid}` ? 200 : 401;
  console.log(`${headers.authorization}: ${status}`);
  response.writeHead(status).end();
}).listen(0, "127.0.0.1");
await once(server, "listening");

const url = `http://127.0.0.1:${server.address().port}`;
await api.get(url);
valid = "none: the token was revoked";
await api.get(url);
await api.get(url);

server.close();
server.closeAllConnections();
