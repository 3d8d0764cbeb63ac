import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import {
  createRetryPolicy,
  outerCall,
  type RetryPolicy,
  type RetryPolicyOptions,
  refusalOf,
} from "@retry-budget/core";
import { listen, type Reply, serve, status } from "@retry-budget/testkit";

/** What a handler knows of the request that it is in. */
export function known(): object {
  const outer = outerCall();
  if (outer === undefined) return { inside: false };
  const { attempt, isRetried } = outer;
  const remaining = outer.remaining();
  return { inside: true, attempt, isRetried, ...(remaining < 1e9 && { hasDeadline: true }) };
}

/** The marks of a caller that retries. */
export const retried = { "retry-budget-attempt": "2", "retry-budget-retried": "1" };

/** Sends a request over HTTP/1.1 and reads the answer, which is JSON. */
export async function ask(
  port: number,
  { headers = {}, body, agent, path = "/" }: Asked = {},
): Promise<{ status: number | undefined; answer: unknown }> {
  const method = body === undefined ? "GET" : "POST";
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const sent = request({ port, path, method, agent, headers: { ...type, ...headers } });
  // The head first: a body that comes later is told of outside of the handler's context.
  sent.flushHeaders();
  if (body !== undefined) setTimeout(() => sent.end(JSON.stringify(body)), 20);
  else sent.end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const part of response) text += part;
  return { status: response.statusCode, answer: parsed(text) };
}

interface Asked {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly agent?: Agent;
  readonly path?: string;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** One connection for all. */
export function oneSocket(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

export async function listening(listener: Parameters<typeof createServer>[1]): Promise<number> {
  return listen(createServer(listener));
}

/** fetch with a budget, on core alone. */
export async function budgetedFetch(policy: RetryPolicy, url: string): Promise<Response> {
  const ender = new AbortController();
  const facts = { client: "fetch", method: "GET", url, isReplayable: () => true };
  return policy.run<Response>(facts, {
    send: () => fetch(url, { signal: ender.signal }),
    outcomeOf: (settled) =>
      "error" in settled
        ? { error: settled.error }
        : {
            response: settled.value,
            status: settled.value.status,
            header: (name) => settled.value.headers.get(name) ?? undefined,
          },
    onAbort: () => () => undefined,
    abortError: () => new DOMException("aborted", "AbortError"),
    expire: () => {
      const error = new DOMException("timed out", "TimeoutError");
      ender.abort(error);
      return error;
    },
    discard: (settled) => {
      if ("value" in settled) void settled.value.body?.cancel();
    },
  });
}

/** A server that is down, and what a handler has of it: a client with a budget of its own. */
export async function backend(options: RetryPolicyOptions = {}, ...replies: Reply[]) {
  const server = await serve(...(replies.length > 0 ? replies : [status(503)]));
  const policy = createRetryPolicy({ backoff: { base: 0 }, ...options });
  const get = async () => {
    const result = await budgetedFetch(policy, server.url).catch((error: Error) => error);
    const answer = result instanceof Response ? result.status : result.name;
    return { answer, refusal: refusalOf(result)?.refusal };
  };
  return { server, policy, get };
}
