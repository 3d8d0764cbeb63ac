import { type RetryPolicy, refusalOf } from "@retry-budget/core";
import {
  errorOf,
  refusingUrl,
  type SecureReply,
  serve,
  serveSecurely,
  status,
} from "@retry-budget/testkit";
import { EnvHttpProxyAgent, ProxyAgent, request } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { budgeted } from "./budgeted.js";
import { type AnswerConnect, serveProxy } from "./serve-proxy.js";
import { undiciMajor } from "./undici-major.js";

const unavailable = status(503);
const ok = status(200);
const origins = ["http://127.0.0.1:9", "http://127.0.0.1:99", "http://127.0.0.1:999"];

const answer =
  (code: number): AnswerConnect =>
  (socket) => {
    socket.end(`HTTP/1.1 ${code} No\r\ncontent-length: 0\r\n\r\n`);
  };

/** The retries that each budget has paid for; without those that have paid for none. */
function paid(policy: RetryPolicy): Record<string, number> {
  const paying = policy.snapshot().filter(({ retries }) => retries > 0);
  return Object.fromEntries(paying.map(({ origin, retries }) => [origin, retries]));
}

describe("ProxyAgent", () => {
  test("retries through its tunnel, charged to the origin at the other end", async () => {
    const [server, proxy] = await Promise.all([serve(unavailable, ok), serveProxy()]);
    const agent = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
    const { dispatcher, policy } = budgeted(agent);
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect(proxy.asked).toEqual([new URL(server.url).host]);
    expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
  });

  test("retries over TLS in its tunnel", async () => {
    const secureAnswer =
      (code: number): SecureReply =>
      (response) => {
        response.writeHead(code).end();
      };
    const replies = [secureAnswer(503), secureAnswer(200)];
    const [server, proxy] = await Promise.all([serveSecurely(...replies), serveProxy()]);
    const requestTls = { ca: server.certificate };
    const { dispatcher } = budgeted(new ProxyAgent({ uri: proxy.url, requestTls }));
    const { statusCode, body } = await request(server.url, { dispatcher });
    await body.dump();
    expect([statusCode, server.hits.length, proxy.asked.length]).toEqual([200, 2, 1]);
  });

  test("retries what the proxy forwards, charged to the origin behind it", async () => {
    const [server, proxy] = await Promise.all([serve(unavailable, ok), serveProxy()]);
    const agent = new ProxyAgent({ uri: proxy.url, proxyTunnel: false });
    const { dispatcher, policy } = budgeted(agent);
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect(proxy.asked).toEqual([`${server.url}/`, `${server.url}/`]);
    expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
  });

  test.each([407, 502])(
    "fails once when the proxy answers a CONNECT with %d (undici #3897, PR #5441)",
    async (code) => {
      const proxy = await serveProxy(answer(code));
      const agent = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
      const { dispatcher, policy } = budgeted(agent);
      const error = await errorOf(request("http://127.0.0.1:9", { dispatcher }));
      expect(error.message).toContain(`(${code})`);
      expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
      expect([proxy.asked.length, paid(policy)]).toEqual([1, {}]);
    },
  );

  test("fails once when a forwarded request is answered with 407", async () => {
    const [server, proxy] = await Promise.all([serve(status(407), ok), serveProxy()]);
    const agent = new ProxyAgent({ uri: proxy.url, proxyTunnel: false });
    const { dispatcher } = budgeted(agent);
    const error = await errorOf(request(server.url, { dispatcher }));
    expect(error).toMatchObject({ code: "UND_ERR_INVALID_ARG" });
    expect(proxy.asked).toHaveLength(1);
  });

  test.skipIf(undiciMajor < 8)(
    "has as many attempts as allowed when the proxy closes on CONNECT (undici 8: 6 and 7 go on for ever, and tell nobody) (undici #3897, PR #5441)",
    async () => {
      const proxy = await serveProxy((socket) => socket.destroy());
      const agent = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
      const { dispatcher, policy } = budgeted(agent);
      const options = { dispatcher, method: "POST", body: "never sent" } as const;
      const error = await errorOf(request("http://127.0.0.1:9", options));
      expect(error).toMatchObject({ code: "UND_ERR_PRX_CONN" });
      expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
      expect(proxy.asked).toHaveLength(3);
      // The connection to the proxy was made, so it is the origin's to pay.
      expect(paid(policy)).toEqual({ "http://127.0.0.1:9": 2 });
    },
  );

  test.each([
    ["tunnels", true],
    ["forwards", false],
  ])(
    "that is dead and %s does not drain the budgets of the origins behind it",
    async (_, proxyTunnel) => {
      const uri = await refusingUrl();
      const { dispatcher, policy } = budgeted(new ProxyAgent({ uri, proxyTunnel }), { initial: 3 });
      for (const origin of origins) {
        const error = await errorOf(request(origin, { dispatcher }));
        expect(error).toMatchObject({ code: "ECONNREFUSED" });
      }
      expect(paid(policy)).toEqual({ [uri]: 3 });
    },
  );
});

describe("EnvHttpProxyAgent", () => {
  const environment = (name: string, value: string): void => {
    vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
  };

  test("retries through the proxy of the environment, and past it where NO_PROXY says so", async () => {
    const [behind, beside] = await Promise.all([serve(unavailable, ok), serve(unavailable, ok)]);
    const proxy = await serveProxy();
    environment("http_proxy", proxy.url);
    environment("no_proxy", new URL(beside.url).host);
    const { dispatcher, policy } = budgeted(new EnvHttpProxyAgent());
    for (const { url } of [behind, beside]) {
      const { statusCode, body } = await request(url, { dispatcher });
      await body.dump();
      expect(statusCode).toBe(200);
    }
    expect([behind.hits.length, beside.hits.length]).toEqual([2, 2]);
    expect(proxy.asked.join()).toContain(new URL(behind.url).host);
    expect(proxy.asked.join()).not.toContain(new URL(beside.url).host);
    expect(paid(policy)).toEqual({ [behind.url]: 1, [beside.url]: 1 });
  });

  test("with a dead proxy charges the proxy, and an origin that is reached without it for itself", async () => {
    const [uri, dead] = await Promise.all([refusingUrl(), refusingUrl()]);
    environment("http_proxy", uri);
    environment("no_proxy", new URL(dead).host);
    const { dispatcher, policy } = budgeted(new EnvHttpProxyAgent());
    for (const origin of [...origins, dead]) {
      const error = await errorOf(request(origin, { dispatcher }));
      expect(error).toMatchObject({ code: "ECONNREFUSED" });
    }
    expect(paid(policy)).toEqual({ [uri]: 6, [dead]: 2 });
  });
});
