import { once } from "node:events";
import { type Agent as HttpAgent, type IncomingMessage, request as nodeRequest } from "node:http";
import { type Agent, fetch, request } from "undici";
import type { SoakClient } from "./soak-clients.js";
import type { SoakCall } from "./soak-plan.js";

/** One request, of which pRetry makes as many as it wants. */
export interface OperationRequest {
  readonly url: string;
  readonly method: SoakCall["method"];
  readonly headers: { readonly "x-soak": string };
  readonly body: string | null;
  readonly signal: AbortSignal;
  readonly abort: Parameters<SoakClient["send"]>[2];
}

/** Gives the status when the body was read to its end. */
export type Operation = (request: OperationRequest) => Promise<number>;

/** Ms; begins when the request has its socket. */
const timeout = 1000;

/** What people put into pRetry. */
export function soakOperations(httpAgent: HttpAgent, dispatcher: Agent): readonly Operation[] {
  return [
    async ({ url, abort, ...init }) => {
      const { status, body } = await fetch(url, { ...init, dispatcher });
      abort("head");
      if (status !== 200) await body?.cancel();
      else for await (const _ of body ?? []) abort("body");
      return status;
    },
    async ({ url, abort, ...options }) => {
      const onInfo = (): void => abort("announced");
      const { statusCode, body } = await request(url, { ...options, dispatcher, onInfo });
      abort("head");
      if (statusCode !== 200) await body.dump();
      else for await (const _ of body) abort("body");
      return statusCode;
    },
    async ({ url, body, abort, ...options }) => {
      const sent = nodeRequest(url, { ...options, agent: httpAgent, timeout });
      sent.on("timeout", () =>
        sent.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
      );
      // Of an abort it tells also after the response has come.
      sent.on("error", () => undefined);
      sent.on("finish", () => abort("early"));
      sent.on("information", () => abort("announced"));
      sent.end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      // What has come in full is over for Node: an abort would end the connection alone.
      if (!response.complete) abort("head");
      for await (const _ of response) if (!response.complete) abort("body");
      return response.statusCode ?? 0;
    },
  ];
}
