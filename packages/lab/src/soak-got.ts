import { Agent as HttpAgent } from "node:http";
import type { RetryPolicy } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import got from "got";
import { listenersOf } from "./listeners.js";
import type { SoakAnswer, SoakClient, SoakOrigins } from "./soak-clients.js";
import { gotBody } from "./soak-got-body.js";
import { SoakGotCall } from "./soak-got-call.js";
import { type GotFlavour, type GotOptions, gotFlavours, soakRetry } from "./soak-got-flavours.js";
import type { SoakTally } from "./soak-tally.js";
import { watchConnections } from "./watch-connections.js";
import { watchRequests } from "./watch-requests.js";

const sockets = 50;
/** What the faults look like. */
const expectedCodes: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT"]);
const abortNames: ReadonlySet<unknown> = new Set(["AbortError", "CancelError"]);

export function makeGot(policy: RetryPolicy, origins: SoakOrigins, tally: SoakTally): SoakClient {
  const http = new HttpAgent({ keepAlive: true, maxSockets: sockets });
  const client = got.extend({ agent: { http }, retry: soakRetry }, retryBudget(policy));
  const informed = new Map<string, () => void>();
  const unwatchRequests = watchRequests({ informed: (name) => informed.get(name)?.() });
  // A request whose body comes from a stream is refused before it is written.
  const unwatchConnections = watchConnections((port) => {
    if (port === Number(new URL(origins.refusing).port)) tally.refusedAttempts++;
  });
  return {
    listeners: () => listenersOf({ http }),
    send: async ({ index, isRefused, method, faults, ...call }, signal, abort) => {
      const flavour = gotFlavours[index % gotFlavours.length] as GotFlavour;
      const name = [index, ...faults].join(" ");
      if (!isRefused) abort("early");
      informed.set(name, () => abort("announced"));
      const url = `${isRefused ? origins.refusing : origins.server}/`;
      const own: GotOptions = method === "GET" ? {} : gotBody(index, isRefused);
      const options = { ...flavour.options, ...own, method, headers: { "x-soak": name } };
      const gotCall = new SoakGotCall(abort, tally);
      const answer = (): Promise<SoakAnswer> => {
        if ("isRetried" in flavour) {
          return gotCall.read(client.stream(url, { ...options, signal }), flavour);
        }
        if (flavour.cancels === "signal") {
          return gotCall.settle(client(url, { ...options, signal }), flavour);
        }
        const promise = client(url, options);
        if (call.abort) signal.addEventListener("abort", () => promise.cancel(), { once: true });
        return gotCall.settle(promise, flavour);
      };
      return answer().finally(() => informed.delete(name));
    },
    isAbort: (error) => abortNames.has((error as Error).name),
    isExpected: (error) => expectedCodes.has((error as { code?: unknown }).code),
    close: async () => {
      unwatchRequests();
      unwatchConnections();
      http.destroy();
    },
  };
}
