import { setTimeout } from "node:timers/promises";
import { serve, status } from "@retry-budget/testkit";
import axios, { type AxiosInstance } from "axios";
import { bare } from "../attached.js";
import { ArmedTimers } from "./armed-timers.js";
import { attachPeer, type Peer } from "./peer.js";
import type { PeerCase } from "./peer-case.js";

const [atOnce, afterwards] = ["ends at once", "goes on waiting"];
const long = 60_000;
const never = new Promise<never>(() => undefined);

/** What ends a wait, or keeps it from being begun. */
export const waitCases: readonly PeerCase[] = [
  {
    title: "503 with `Retry-After: 3600`",
    expected: {
      "axios-retry": "waits 3600 s",
      "retry-axios": "gives up",
      "retry-budget": "gives up",
    },
    measure: (peer) => waitOn(peer, "3600", 3_600_000),
  },
  {
    title: "503 with `Retry-After: 240`",
    expected: {
      "axios-retry": "waits 240 s",
      "retry-axios": "waits 240 s",
      "retry-budget": "gives up",
    },
    measure: (peer) => waitOn(peer, "240", 240_000),
  },
  {
    title: "an abort in the wait, by `signal`",
    expected: { "axios-retry": atOnce, "retry-axios": afterwards, "retry-budget": atOnce },
    measure: (peer) => {
      const controller = new AbortController();
      const { signal } = controller;
      return abortInWait(
        peer,
        (i, url) => i.get(url, { signal }),
        () => controller.abort(),
      );
    },
  },
  {
    title: "an abort in the wait, by `cancelToken`",
    expected: { "axios-retry": afterwards, "retry-axios": afterwards, "retry-budget": atOnce },
    measure: (peer) => {
      const { token, cancel } = axios.CancelToken.source();
      return abortInWait(
        peer,
        (i, url) => i.get(url, { cancelToken: token }),
        () => cancel(),
      );
    },
  },
];

async function waitOn(peer: Peer, retryAfter: string, delay: number): Promise<string> {
  const server = await serve(status(503, { "retry-after": retryAfter }));
  const instance = bare();
  attachPeer(peer, instance);
  const timers = new ArmedTimers();
  const outcome = instance.get(server.url).catch(() => "gives up");
  const wait = timers.atLeast(delay).then((armed) => `waits ${armed / 1000} s`);
  // Where it gives up there is no timer to find.
  return String(await Promise.race([outcome, wait.catch(() => never)]));
}

async function abortInWait(
  peer: Peer,
  send: (instance: AxiosInstance, url: string) => Promise<unknown>,
  abort: () => void,
): Promise<string> {
  const server = await serve(status(503));
  const instance = bare();
  attachPeer(peer, instance, {
    "axios-retry": { retryDelay: () => long },
    "retry-axios": { retryDelay: long, backoffType: "static" },
    "retry-budget": { backoff: () => long },
  });
  const timers = new ArmedTimers();
  const outcome = send(instance, server.url).catch(() => atOnce);
  await timers.atLeast(long);
  abort();
  return String(await Promise.race([outcome, setTimeout(1000, afterwards)]));
}
