import { Agent as HttpAgent } from "node:http";
import { type RetryPolicy, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/p-retry";
import pRetry, { AbortError } from "p-retry";
import { Agent } from "undici";
import { listenersOf } from "./listeners.js";
import type { SoakAnswer, SoakClient, SoakOrigins } from "./soak-clients.js";
import { type Operation, soakOperations } from "./soak-operations.js";
import { pRetryOptions } from "./soak-p-retry-options.js";
import type { SoakCall } from "./soak-plan.js";
import type { SoakTally } from "./soak-tally.js";
import { watchRequests } from "./watch-requests.js";

const sockets = 50;
/** Ms; undici looks at such timers about twice in a second. */
const headersTimeout = 500;
const bodies: Readonly<Record<SoakCall["method"], string | null>> = {
  GET: null,
  PUT: "a small text",
  POST: "another small text",
};
/** What the faults look like. */
const expectedCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

export function makePRetry(
  policy: RetryPolicy,
  origins: SoakOrigins,
  tally: SoakTally,
): SoakClient {
  const httpAgent = new HttpAgent({ keepAlive: true, maxSockets: sockets });
  const agent = new Agent({ connections: sockets, headersTimeout });
  const operations = soakOperations(httpAgent, agent);
  const budgeted = retryBudget({ pRetry, AbortError }, policy, { key: origins.server });
  const written = new Map<string, () => void>();
  const unwatch = watchRequests({
    created: (origin) => {
      if (origin === origins.refusing) tally.refusedAttempts++;
    },
    written: (name) => written.get(name)?.(),
  });
  return {
    listeners: () => listenersOf({ httpAgent, agent }),
    send: async (call, signal, abort) => {
      const { index, isRefused, method, faults } = call;
      const operation = operations[index % operations.length] as Operation;
      const name = [index, ...faults].join(" ");
      // An attempt is for p-retry what it has begun: it cannot know when something is written.
      written.set(name, () => abort("early"));
      const attempt = async (): Promise<number> => {
        const status = await operation({
          url: `${isRefused ? origins.refusing : origins.server}/`,
          method,
          headers: { "x-soak": name },
          body: bodies[method],
          signal,
          abort,
        }).catch(throwFor(method));
        if (status === 200) return status;
        signal.throwIfAborted();
        abort("announced");
        const error = Object.assign(new Error(`status ${status}`), { status });
        return throwFor(method)(error);
      };
      const isAnnounced = call.abort?.moment === "announced" && !isRefused;
      const options = { ...pRetryOptions(call, isAnnounced), signal };
      const key = new URL(origins.refusing);
      return budgeted(attempt, isRefused ? { ...options, retryBudget: { key } } : options)
        .then((status) => ({ status, refusal: undefined }), unavailable)
        .finally(() => {
          tally.ends++;
          written.delete(name);
        });
    },
    isAbort: (error) => (error as Error).name === "AbortError",
    isExpected,
    close: async () => {
      unwatch();
      httpAgent.destroy();
      await agent.close();
    },
  };
}

function throwFor(method: SoakCall["method"]): (error: Error) => never {
  return (error) => {
    throw method === "POST" ? new AbortError(error) : error;
  };
}

function unavailable(error: unknown): SoakAnswer {
  if ((error as { status?: unknown }).status !== 503) throw error;
  return { status: 503, refusal: refusalOf(error)?.refusal };
}

function isExpected(error: unknown): boolean {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return expectedCodes.has(code) || (cause !== undefined && isExpected(cause));
}
