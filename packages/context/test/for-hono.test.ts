import { getRequestListener } from "@hono/node-server";
import { createIncoming, forHono } from "@retry-budget/context";
import { outerCall } from "@retry-budget/core";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { faceCases } from "./face-cases.js";
import { known, listening, retried } from "./fixture.js";

const failed = (app: Hono) => app.onError((error, context) => context.text(error.message, 500));

describe("on Node", () => {
  faceCases((incoming, work) => {
    const app = new Hono();
    failed(app);
    if (incoming !== undefined) app.use(forHono(incoming));
    app.all("/", async (context) => {
      const hasBody = context.req.method === "POST";
      const answer = await work(hasBody ? await context.req.json() : undefined);
      return context.json(answer as object);
    });
    return listening(getRequestListener(app.fetch));
  });
});

describe("elsewhere", () => {
  const appWith = (handler: () => unknown) => {
    const app = new Hono();
    failed(app);
    app.use(forHono(createIncoming()));
    app.get("/", async (context) => context.json((await handler()) as object));
    return app;
  };

  test("a handler is inside what its request says, until it has answered", async () => {
    let later: unknown;
    const app = appWith(() => {
      later = new Promise((resolve) => setTimeout(() => resolve(outerCall()), 20));
      return known();
    });
    const response = await app.request("/", { headers: retried });
    expect(await response.json()).toEqual({ inside: true, attempt: 2, isRetried: true });
    expect(await later).toBeUndefined();
    expect(await (await app.request("/")).json()).toEqual({ inside: false });
  });

  test("a handler that throws fails as without us", async () => {
    const app = appWith(() => Promise.reject(new Error("the handler's")));
    const response = await app.request("/", { headers: retried });
    expect([response.status, await response.text()]).toEqual([500, "the handler's"]);
  });
});
