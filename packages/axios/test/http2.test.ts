import { constants, createServer, type ServerHttp2Stream } from "node:http2";
import { listen, until } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { errorOf, fixture } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

type Reply = (stream: ServerHttp2Stream) => void;

/** A server without TLS: one reply after the other, the last one again and again. */
async function serveHttp2(...replies: Reply[]) {
  const bodies: string[] = [];
  const server = createServer().on("stream", async (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    const [reply] = replies;
    if (replies.length > 1) replies.shift();
    if (reply === refuse) {
      bodies.push("refused");
      return reply(stream);
    }
    let body = "";
    for await (const chunk of stream) body += chunk;
    bodies.push(body);
    reply?.(stream);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, bodies };
}

const answer =
  (status: number): Reply =>
  (stream) => {
    stream.respond({ ":status": status });
    stream.end(`answer ${status}`);
  };
const refuse: Reply = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);
const cancel: Reply = (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
const http2 = { httpVersion: 2 } as object;

test.skipIf(axiosMinor < 13)("over HTTP/2 a 503 is retried", async () => {
  const { url, bodies } = await serveHttp2(answer(503), answer(200));
  const { instance, policy } = fixture({}, http2);
  expect(await instance.put(url, "body")).toMatchObject({ status: 200, data: "answer 200" });
  expect(bodies).toEqual(["body", "body"]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
});

test.skipIf(axiosMinor < 13)(
  "over HTTP/2 a stream that the server refused was not acted upon: also a POST is retried",
  async () => {
    const { url, bodies } = await serveHttp2(refuse, answer(200));
    const { instance } = fixture({}, http2);
    expect(await instance.post(url, "pay")).toMatchObject({ status: 200 });
    expect(bodies).toEqual(["refused", "pay"]);
  },
);

test.skipIf(axiosMinor < 13)(
  "over HTTP/2 a stream that breaks off may have been acted upon: a POST is not retried",
  async () => {
    const { url, bodies } = await serveHttp2(cancel, answer(200));
    const { instance } = fixture({}, http2);
    await errorOf(instance.post(url, "pay"));
    await until(() => bodies.length > 0);
    expect(bodies).toEqual(["pay"]);
  },
);
