import { hang, type Reply, refusingUrl, reset, status, truncate } from "@retry-budget/testkit";
import type { AxiosInstance } from "axios";
import { attemptsOf } from "./attempts-of.js";
import { attemptsText } from "./attempts-text.js";
import type { Peer, PeerOptions } from "./peer.js";
import type { PeerCase } from "./peer-case.js";

const loop: Reply = (response) => response.writeHead(302, { location: "/" }).end();
const large = status(200, {}, "x".repeat(1000));
const sized = "x".repeat(100);

/** Who makes how many attempts, where two retries are allowed. */
export const attemptCases: readonly PeerCase[] = [
  attempts(
    "POST, and the connection is reset after the server has read it (axios-retry #17, #66)",
    [3, 1, 1],
    reset(),
    (instance, url) => instance.post(url, "pay"),
  ),
  attempts(
    "POST that times out, with `clarifyTimeoutError` and `shouldResetTimeout`",
    [3, 1, 1],
    hang(),
    (instance, url) =>
      instance.post(url, "pay", { timeout: 100, transitional: { clarifyTimeoutError: true } }),
    { "axios-retry": { shouldResetTimeout: true } },
  ),
  attempts(
    "POST, and the connection is refused: it never was sent",
    [3, 1, 3],
    hang(),
    async (instance) => instance.post(await refusingUrl(), "pay"),
  ),
  attempts("GET of `foo://`, which axios cannot send (axios-retry #170)", [3, 3, 1], hang(), (i) =>
    i.get("foo://a.example/"),
  ),
  attempts("POST to `foo://`", [3, 1, 1], hang(), (i) => i.post("foo://a.example/", "pay")),
  attempts("PUT of more than `maxBodyLength`", [3, 3, 1], hang(), (instance, url) =>
    instance.put(url, sized, { maxBodyLength: 10 }),
  ),
  attempts("POST of more than `maxBodyLength`", [3, 1, 1], hang(), (instance, url) =>
    instance.post(url, sized, { maxBodyLength: 10 }),
  ),
  attempts("GET whose answer exceeds `maxContentLength`", [3, 3, 1], large, (instance, url) =>
    instance.get(url, { maxContentLength: 10 }),
  ),
  attempts("GET that is redirected in a circle", [3, 3, 1], loop, (instance, url) =>
    instance.get(url, { maxRedirects: 3 }),
  ),
  attempts("POST that is redirected in a circle", [3, 1, 1], loop, (instance, url) =>
    instance.post(url, "pay", { maxRedirects: 3 }),
  ),
  attempts(
    "GET of a 503 with `Retry-After: soon`, which is none",
    [3, 1, 3],
    status(503, { "retry-after": "soon" }),
    (instance, url) => instance.get(url),
  ),
  attempts("GET whose 200 breaks off", [1, 1, 3], truncate(), (instance, url) => instance.get(url)),
  attempts(
    "GET that times out (axios-retry #8, #39, #47, #185)",
    [1, 3, 3],
    hang(),
    (instance, url) => instance.get(url, { timeout: 100 }),
  ),
];

function attempts(
  title: string,
  counts: readonly [number, number, number],
  reply: Reply,
  send: (instance: AxiosInstance, url: string) => Promise<unknown>,
  options?: PeerOptions,
): PeerCase {
  const [first, second, third] = counts.map(attemptsText);
  return {
    title,
    expected: {
      "axios-retry": first ?? "",
      "retry-axios": second ?? "",
      "retry-budget": third ?? "",
    },
    measure: (peer: Peer) => attemptsOf(peer, reply, send, options),
  };
}
