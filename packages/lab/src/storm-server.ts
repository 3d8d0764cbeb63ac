import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent } from "./answer-parent.js";

/**
 * The process of the server: one port for each run. A port answers 200 until the outage begins, and
 * counts from then on. It ends when its parent does.
 */
export type Question =
  | { readonly ask: "open" }
  | { readonly ask: "fail" | "count" | "close"; readonly port: number };

export interface Answer {
  readonly port: number;
  readonly received: number;
  readonly originals: number;
}

interface Run {
  readonly server: Server;
  failing: boolean;
  received: number;
  readonly originals: Set<string>;
}

const runs = new Map<number, Run>();

function open(): Promise<number> {
  const run: Run = {
    failing: false,
    received: 0,
    originals: new Set(),
    server: createServer((request, response) => {
      request.resume();
      if (run.failing) {
        run.received++;
        run.originals.add(String(request.headers["x-original"]));
      }
      response.writeHead(run.failing ? 503 : 200).end();
    }),
  };
  return new Promise((resolve) => {
    run.server.listen(0, "127.0.0.1", () => {
      const { port } = run.server.address() as AddressInfo;
      runs.set(port, run);
      resolve(port);
    });
  });
}

async function answer(question: Question): Promise<Answer> {
  const port = question.ask === "open" ? await open() : question.port;
  const run = runs.get(port);
  if (run === undefined) throw new Error(`No run on port ${port}.`);
  if (question.ask === "fail") run.failing = true;
  if (question.ask === "close") {
    run.server.closeAllConnections();
    run.server.close();
    runs.delete(port);
  }
  return { port, received: run.received, originals: run.originals.size };
}

answerParent(answer);
