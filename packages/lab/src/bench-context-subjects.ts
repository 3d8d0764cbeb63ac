import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createIncoming, forNode, outgoing } from "@retry-budget/context";
import {
  type Call,
  type CallFacts,
  createRetryPolicy,
  outerCall,
  type RetryPolicyOptions,
} from "@retry-budget/core";
import { do_not_optimize } from "mitata";

/** Does something so many times. */
export type Subject = (times: number) => void | Promise<void>;

const origin = "http://127.0.0.1:8080";
const url = `${origin}/orders`;
const facts: CallFacts = { client: "bench", method: "GET", url, isReplayable: () => true };
const marks = {
  "retry-budget-attempt": "1",
  "retry-budget-retried": "1",
  "retry-budget-deadline": "250",
};
const nothing = (): void => undefined;

/** By name. What enters AsyncLocalStorage does so for the whole process. */
export const contextSubjects: Readonly<Record<string, Subject>> = {
  "outerCall()": repeat(outerCall),
  "a call": calls({}),
  again: calls({}),
  "oneLayer: false": calls({ oneLayer: false }),
  "within()": calls({}, (call) => call.within(nothing)),
  "marks()": calls({ marks: outgoing({ origins: [origin] }) }, (call) => call.marks(url)),
  "inside a call": inside(calls({})),
  "a request": requests(nothing, {}),
  forNode: requests(forNode(createIncoming(), nothing), {}),
  "forNode, marks": requests(forNode(createIncoming(), nothing), marks),
  "an await": async (times) => {
    for (let done = 0; done < times; done++) await undefined;
  },
};

function repeat(operation: () => unknown): Subject {
  return (times) => {
    for (let done = 0; done < times; done++) do_not_optimize(operation());
  };
}

/** Calls that succeed, as an adapter tells a policy of them. */
function calls(options: RetryPolicyOptions, use: (call: Call) => unknown = nothing): Subject {
  const policy = createRetryPolicy(options);
  return repeat(() => {
    const call = policy.call(facts) as Call;
    call.begin();
    do_not_optimize(use(call));
    call.sent();
    return call.succeed(200);
  });
}

function inside(subject: Subject): Subject {
  return (times) => {
    const outer = createRetryPolicy().call(facts) as Call;
    return outer.within(() => subject(times));
  };
}

/** Node's own objects without a connection, whose noise is more than what is to be measured. */
function requests(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  headers: Record<string, string>,
): Subject {
  const socket = new Socket();
  return repeat(() => {
    const request = new IncomingMessage(socket);
    request.headers = headers;
    const response = new ServerResponse(request);
    listener(request, response);
    request.emit("end");
    return response.emit("close");
  });
}
