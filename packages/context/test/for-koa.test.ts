import { json } from "node:stream/consumers";
import { forKoa } from "@retry-budget/context";
import Koa from "koa";
import { faceCases } from "./face-cases.js";
import { listening } from "./fixture.js";

faceCases((incoming, work) => {
  const app = new Koa();
  app.silent = true;
  if (incoming !== undefined) app.use(forKoa(incoming));
  app.use(async (context) => {
    const hasBody = context.method === "POST";
    context.body = await work(hasBody ? await json(context.req) : undefined);
  });
  return listening(app.callback());
});
