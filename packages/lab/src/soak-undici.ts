import { type RetryPolicy, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, request } from "undici";
import { countEnds } from "./count-ends.js";
import { listenersOf } from "./listeners.js";
import type { SoakClient, SoakOrigins } from "./soak-clients.js";
import type { SoakCall } from "./soak-plan.js";
import type { SoakTally } from "./soak-tally.js";

const sockets = 50;
/** Ms; undici looks at such timers about twice in a second. */
const headersTimeout = 500;
const bodies: Readonly<Record<SoakCall["method"], string | null>> = {
  GET: null,
  PUT: "a small text",
  POST: "another small text",
};
/** What the faults look like. */
const expectedCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

export function makeUndici(
  policy: RetryPolicy,
  origins: SoakOrigins,
  tally: SoakTally,
): SoakClient {
  const agent = new Agent({ connections: sockets, headersTimeout });
  const dispatcher = agent.compose(
    countAttempts(origins.refusing, tally),
    retryBudget(policy),
    countEnds(tally),
  );
  return {
    listeners: () => listenersOf({ agent }),
    send: async (call, signal, abort) => {
      abort("early");
      const url = `${call.isRefused ? origins.refusing : origins.server}/`;
      const { index, method, faults } = call;
      const headers = { "x-soak": [index, ...faults].join(" ") };
      const options = { dispatcher, method, headers, body: bodies[method], signal };
      const response = await request(url, { ...options, onInfo: () => abort("announced") });
      abort("head");
      for await (const _ of response.body) abort("body");
      return { status: response.statusCode, refusal: refusalOf(response)?.refusal };
    },
    isAbort: (error) => (error as Error).name === "AbortError",
    isExpected: (error) => expectedCodes.has((error as { code?: unknown }).code),
    close: () => agent.close(),
  };
}

/** An interceptor for the inside of all others. */
function countAttempts(origin: string, tally: SoakTally): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.origin === origin) tally.refusedAttempts++;
    return dispatch(options, handler);
  };
}
