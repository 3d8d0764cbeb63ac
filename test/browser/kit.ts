// Runs in the page and in its workers. `page.evaluate` carries plain data only, so what it gives is.
import { retryBudget } from "@retry-budget/axios";
import {
  createRetryPolicy,
  defaultRetryPolicy,
  type RefusalDetails,
  type RetryPolicy,
  type RetryPolicyOptions,
  refusalOf,
} from "@retry-budget/core";
import { createManualClock, type ManualClock } from "@retry-budget/core/testing";
import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from "axios";
import type { Answer, Question } from "./worker.js";

export type AdapterName = "xhr" | "fetch";

/** How a request ended for its caller. */
export interface Ending {
  readonly status: number | undefined;
  readonly data: unknown;
  readonly refusal: RefusalDetails | undefined;
  readonly error:
    | undefined
    | {
        readonly name: string;
        readonly message: string;
        readonly code: string | undefined;
        readonly isAxiosError: boolean;
        readonly isCancel: boolean;
      };
}

interface Connection {
  readonly client: AxiosInstance;
  readonly policy: RetryPolicy;
}

interface StoppedClock {
  readonly clock: ManualClock;
  /** The delay of the first wait, when it has begun. */
  readonly asked: Promise<number>;
}

interface Ender {
  readonly config: AxiosRequestConfig;
  end(): void;
}

/** What the types of Node do not have. */
interface Browser {
  readonly document: {
    createElement(name: "base"): { href: string };
    readonly head: { append(element: object): void };
  };
  readonly Worker: new (
    script: string,
    options: { readonly type: "module" },
  ) => {
    onmessage: (event: { readonly data: Answer }) => void;
    onerror: (event: { readonly message: string }) => void;
    postMessage(question: Question): void;
  };
}

const browser = globalThis as unknown as Browser;

function connect(
  adapter: AdapterName,
  options: RetryPolicyOptions = {},
  defaults: AxiosRequestConfig = {},
): Connection {
  const policy = createRetryPolicy({ backoff: () => 1, ...options });
  const client = axios.create({ adapter, ...defaults });
  retryBudget(client, policy);
  return { client, policy };
}

/** Waits under this clock end only when a test moves it. */
function stoppedClock(): StoppedClock {
  const clock = createManualClock();
  const { schedule } = clock;
  const asked = new Promise<number>((resolve) => {
    clock.schedule = (callback, delay) => {
      resolve(delay);
      return schedule(callback, delay);
    };
  });
  return { clock, asked };
}

function enderBy(way: "signal" | "cancelToken"): Ender {
  const controller = new AbortController();
  if (way === "signal")
    return { config: { signal: controller.signal }, end: () => controller.abort() };
  const source = axios.CancelToken.source();
  return { config: { cancelToken: source.token }, end: () => source.cancel("No longer wanted.") };
}

function ended(request: Promise<AxiosResponse>): Promise<Ending> {
  return request.then(
    (response) => endingOf(response, undefined, response),
    (error) => endingOf(error.response, describeError(error), error),
  );
}

function endingOf(
  response: AxiosResponse | undefined,
  error: Ending["error"],
  result: unknown,
): Ending {
  const { status, data } = response ?? { status: undefined, data: undefined };
  return { status, data, error, refusal: refusalOf(result) };
}

/** What a worker of this script answers. */
function askWorker(script: string, question: Question): Promise<Answer> {
  const worker = new browser.Worker(script, { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(question);
  });
}

/** The URL of a blob with this script in it. */
async function blobOf(script: string): Promise<string> {
  const response = await fetch(script);
  return URL.createObjectURL(new Blob([await response.text()], { type: "text/javascript" }));
}

function setBase(href: string): void {
  const base = browser.document.createElement("base");
  base.href = href;
  browser.document.head.append(base);
}

function describeError(error: Error & { code?: string }): Ending["error"] {
  const { name, message, code } = error;
  const { isAxiosError, isCancel } = axios;
  return { name, message, code, isAxiosError: isAxiosError(error), isCancel: isCancel(error) };
}

const tools = {
  askWorker,
  axios,
  blobOf,
  connect,
  defaultRetryPolicy,
  ended,
  enderBy,
  retryBudget,
  setBase,
  stoppedClock,
};

declare global {
  var kit: typeof tools;
}

globalThis.kit = tools;
