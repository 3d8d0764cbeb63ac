import { createRequire } from "node:module";
import { answerParent } from "./answer-parent.js";
import { type InterceptorName, interceptorOf, type Undici } from "./bench-interceptors.js";

/** One client in a process of its own, whose connections stay open from round to round. */
const [undiciPath = "", name = "", origin = "", count = "0"] = process.argv.slice(2);
const undici = createRequire(import.meta.url)(undiciPath) as Undici;
const inFlight = 100;

const agent = new undici.Agent({ connections: 50 });
const interceptor = interceptorOf(name as InterceptorName, undici);
const client = interceptor === null ? agent : agent.compose(interceptor);

export interface LoopbackRound {
  readonly perSecond: number;
  /** CPU microseconds of the client for one request: what a busy machine disturbs less. */
  readonly cpu: number;
}

async function measure(): Promise<LoopbackRound> {
  const requests = Number(count);
  let sent = 0;
  const sendInTurn = async (): Promise<void> => {
    while (sent < requests) {
      sent++;
      const { statusCode, body } = await client.request({ origin, path: "/", method: "GET" });
      await body.dump();
      if (statusCode !== 200) throw new Error(`The server answered ${statusCode}.`);
    }
  };
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await Promise.all(Array.from({ length: inFlight }, sendInTurn));
  const perSecond = (requests * 1000) / (performance.now() - begin);
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond, cpu: (user + system) / requests };
}

answerParent(measure);
