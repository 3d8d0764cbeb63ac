import { Agent } from "node:http";
import { Readable } from "node:stream";
import { serve, status } from "@retry-budget/testkit";
import type { AxiosInstance, AxiosResponse } from "axios";
import FormDataPackage from "form-data";
import { onTestFinished } from "vitest";
import { bare } from "../attached.js";
import { Counted } from "./counted.js";
import { attachPeer, type Peer } from "./peer.js";
import type { PeerCase } from "./peer-case.js";

const stuck = "the second attempt never ends";

/** What becomes of bodies on their way there and back. The server answers 503, and then 200. */
export const bodyCases: readonly PeerCase[] = [
  {
    title: "PUT of a `Readable`, and the server answers 503, then 200 (axios #4306)",
    expected: {
      "axios-retry": "200 for an empty body",
      "retry-axios": "200 for an empty body",
      "retry-budget": '503 for "chunk"',
    },
    measure: (peer) => put(peer, bare(), () => Readable.from(["chunk"])),
  },
  {
    title: "PUT of a form of the form-data package, likewise (axios-retry #277)",
    expected: { "axios-retry": stuck, "retry-axios": stuck, "retry-budget": "503 for a form" },
    measure: (peer) => {
      const form = new FormDataPackage();
      form.append("field", "value");
      return put(peer, bare(), () => form);
    },
  },
  {
    title:
      'PUT of `{ a: 1 }` that a `transformRequest` wraps as `{ "w": … }`: what comes at last (axios-retry #48)',
    expected: {
      "axios-retry": '{"w":{"a":1}}',
      // Wrapped twice, and cut off at the length of the first attempt.
      "retry-axios": '{"w":"{\\"w\\":',
      "retry-budget": '{"w":{"a":1}}',
    },
    measure: async (peer) => {
      const server = await serve(status(503), status(200));
      const transformRequest = [(data: unknown) => JSON.stringify({ w: data })];
      const send = (instance: AxiosInstance) => instance.put(server.url, { a: 1 });
      await endOf(peer, bare({ transformRequest }), send);
      return String(server.hits.at(-1)?.body);
    },
  },
  {
    title: "GET of a stream, 5 MB in the 503, with `maxSockets: 1`",
    expected: { "axios-retry": stuck, "retry-axios": stuck, "retry-budget": "200" },
    measure: async (peer) => {
      const server = await serve(status(503, {}, "x".repeat(5_000_000)), status(200));
      const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => httpAgent.destroy());
      return endOf(peer, bare({ httpAgent }), (instance, signal) =>
        instance.get(server.url, { responseType: "stream", signal }),
      );
    },
  },
];

/** The status that the caller gets, and the body that the server got last. */
async function put(peer: Peer, instance: AxiosInstance, body: () => unknown): Promise<string> {
  const server = await serve(status(503), status(200));
  const end = await endOf(peer, instance, (own, signal) => own.put(server.url, body(), { signal }));
  return end === stuck ? end : `${end} for ${nameOf(String(server.hits.at(-1)?.body))}`;
}

function nameOf(body: string): string {
  if (body === "") return "an empty body";
  if (body.startsWith("--")) return "a form";
  return JSON.stringify(body);
}

async function endOf(
  peer: Peer,
  instance: AxiosInstance,
  send: (instance: AxiosInstance, signal: AbortSignal) => Promise<AxiosResponse>,
): Promise<string> {
  const counted = new Counted(instance);
  attachPeer(peer, instance);
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const outcome = send(instance, controller.signal).then(
    (response) => String(response.status),
    (error: { response?: AxiosResponse }) => String(error.response?.status),
  );
  return counted.endOf(outcome);
}
