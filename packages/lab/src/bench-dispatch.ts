import { createRequire } from "node:module";
import type { Dispatcher } from "undici";
import { answerParent } from "./answer-parent.js";
import { type InterceptorName, interceptorOf, type Undici } from "./bench-interceptors.js";
import { capturedRequests, requestKinds } from "./captured-requests.js";
import { CountingHandler, FakeDispatcher, LegacyCountingHandler } from "./fake-dispatcher.js";

/**
 * One interceptor over a dispatcher that answers at once, in a process of its own: an application
 * composes one, and in a shared process the call sites in the fake and in the consumer would have
 * seen the handlers of all four. GET and PUT share it, as they do in an application.
 */
const [undiciPath = "", name = ""] = process.argv.slice(2);
const undici = createRequire(import.meta.url)(undiciPath) as Undici;
/** Microseconds of CPU time for one figure. */
const least = 20_000;
const batch = 10_000;
/** Turns of both kinds until the compiler is done with them. */
const warmUps = 30;

const fake = new FakeDispatcher();
const isModernAlone = "Dispatcher1Wrapper" in undici;
const Consumer = isModernAlone ? CountingHandler : LegacyCountingHandler;
const interceptor = interceptorOf(name as InterceptorName, undici);
// By undici's own compose, but without the Proxy that it gives: all of them have that in common.
const composed: Pick<Dispatcher, "dispatch"> =
  interceptor === null
    ? fake
    : undici.Dispatcher.prototype.compose.call(fake as unknown as Dispatcher, interceptor);
const dispatch = composed.dispatch.bind(composed);
const requestsByKind = requestKinds.map((kind) => capturedRequests(undici, kind));

/** CPU time, because others may want the machine; what the collector takes is in it. */
function nanoseconds(requests: readonly Dispatcher.DispatchOptions[]): number {
  holdSome(requests);
  const count = CountingHandler.ended;
  const begin = process.cpuUsage();
  let sent = 0;
  let spent = 0;
  do {
    send(requests, batch);
    sent += batch;
    const { user, system } = process.cpuUsage(begin);
    spent = user + system;
  } while (spent < least);
  if (CountingHandler.ended - count !== sent) throw new Error("A response did not arrive.");
  return (spent * 1000) / sent;
}

/**
 * With none in flight, the collector would drop the hidden classes and with them the compiled code,
 * which no application ever sees.
 */
function holdSome(requests: readonly Dispatcher.DispatchOptions[]): void {
  fake.holds = true;
  fake.held.length = 0;
  send(requests, 10);
  fake.holds = false;
}

function send(requests: readonly Dispatcher.DispatchOptions[], count: number): void {
  for (let request = 0; request < count; request++) {
    const options = requests[request % requests.length] as Dispatcher.DispatchOptions;
    dispatch(options, new Consumer() as Dispatcher.DispatchHandler);
  }
}

for (let turn = 0; turn < warmUps; turn++) {
  for (const requests of requestsByKind) {
    holdSome(requests);
    send(requests, batch);
  }
}
answerParent(() => requestsByKind.map(nanoseconds));
