import { type FlakyServer, hang, type Reply, serve, until } from "@retry-budget/testkit";

type Hits = FlakyServer["hits"];

/** A server with a page and an API. */
export interface Site {
  readonly url: string;
  /** What has come for the API, but for the questions that browsers ask by themselves. */
  readonly hits: Hits;
  /** Resolves when the API has got that many requests. */
  received(count: number): Promise<void>;
}

/**
 * Serves the script at `/kit.js`, the page that loads it at `/`, and at `/api` the replies, one after
 * the other, the last one again and again. It ends with the test.
 */
export async function serveSite(script: string, ...replies: Reply[]): Promise<Site> {
  let next = 0;
  const server = await serve((response, request) => {
    // Of a connection that is in use again, Chromium repeats by itself what a reset has lost.
    response.shouldKeepAlive = false;
    const { url = "", method } = request;
    if (url === "/kit.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    } else if (!url.startsWith("/api")) {
      response.writeHead(200, { "content-type": "text/html" }).end(html);
    } else if (method === "OPTIONS") {
      response.writeHead(204, preflight).end();
    } else {
      const reply = replies[Math.min(next++, replies.length - 1)] ?? hang();
      reply(response, request);
    }
  });
  const hits = (): Hits =>
    server.hits.filter(({ url, method }) => url.startsWith("/api") && method !== "OPTIONS");
  return {
    url: server.url,
    get hits() {
      return hits();
    },
    received: (count) => until(() => hits().length >= count),
  };
}

// The icon keeps the browser from asking for one.
const html = `<!doctype html><link rel="icon" href="data:,">
<script type="module" src="/kit.js"></script>`;

const preflight = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "*",
};

/** Lets pages of any origin read the reply, and of its headers those that are exposed. */
export function shared(reply: Reply, exposed = ""): Reply {
  return (response, request) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-expose-headers", exposed);
    reply(response, request);
  };
}
