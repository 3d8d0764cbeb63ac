import { forExpress } from "@retry-budget/context";
import express from "express";
// @ts-expect-error the types are those of version 5
import express4 from "express-4";
import { describe } from "vitest";
import { faceCases } from "./face-cases.js";
import { listening } from "./fixture.js";

describe.each([
  ["Express 5", express],
  ["Express 4", express4 as typeof express],
])("%s", (_, framework) => {
  faceCases((incoming, work) => {
    const app = framework();
    if (incoming !== undefined) app.use(forExpress(incoming));
    app.use(framework.json());
    app.use("/", (request, response, next) => {
      work(request.body).then((answer) => response.json(answer), next);
    });
    return listening(app);
  });
});

describe("Express 5 with its parser first", () => {
  faceCases((incoming, work) => {
    const app = express();
    app.use(express.json());
    if (incoming !== undefined) app.use(forExpress(incoming));
    app.use("/", async (request, response) => {
      response.json(await work(request.body));
    });
    return listening(app);
  });
});
