import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createIncoming, forNode } from "@retry-budget/context";
import { answerParent } from "./answer-parent.js";
import { layerClient } from "./storm-layers-client.js";
import type { LayerPolicyName } from "./storm-layers-plan.js";

/** The process of a tier that calls another: it answers as well as that one does. */
const [policy, next = ""] = process.argv.slice(2);

export type TierQuestion = "port" | "received";

const client = layerClient(policy as LayerPolicyName, next);
let received = 0;

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received++;
  request.resume();
  const status = await client.send(String(request.headers["x-original"])).catch(() => 503);
  response.writeHead(status).end();
}

const listener = policy === "marks" ? forNode(createIncoming(), handle) : handle;
const server = createServer({ keepAliveTimeout: 60_000 }, listener);
server.listen(0, "127.0.0.1");
const listening = once(server, "listening");
answerParent(async (question: TierQuestion): Promise<number> => {
  await listening;
  return question === "port" ? (server.address() as AddressInfo).port : received;
});
