import type { Adapter, Config, Instance, Send } from "./axios-instance.js";
import { sendCopy } from "./send-copy.js";

/** How a finished config gets through the sibling's merging. */
interface Carrier {
  retryBudgetConfig(): Config;
}

/**
 * A second instance of the same axios, for what only axios itself can do: look up an adapter by its
 * name, and make its own errors. It has no defaults, no interceptor but the one that hands a
 * finished config to its dispatch, and runs no transforms a second time.
 */
export class Sibling {
  readonly #instance: Instance;

  constructor(instance: Instance) {
    this.#instance = instance.create();
    const { interceptors, defaults } = this.#instance;
    // Plugins hook `create` to add their own to every instance.
    interceptors.request.clear?.();
    interceptors.response.clear?.();
    for (const name of Object.keys(defaults)) Reflect.deleteProperty(defaults, name);
    const unwrap = (carrier: Carrier): Config => carrier.retryBudgetConfig();
    interceptors.request.use(unwrap as never, null, { synchronous: true });
  }

  sender(adapter: Adapter): Send {
    const send: Send = (copy) => this.#instance.request({ retryBudgetConfig: () => copy });
    // They have run.
    const changes: object = { transformRequest: undefined, transformResponse: undefined, adapter };
    return (config) => sendCopy(send, config, changes);
  }

  /** The error with which axios meets a request that is cancelled before it is sent. */
  cancelledError(config: Config): Promise<unknown> {
    const unsent: Send = () => Promise.reject(new Error("The request was not cancelled."));
    return this.sender(unsent)(config).catch((error: unknown) => error);
  }

  /** The error with which axios ends a request that takes longer than its `timeout`. */
  async timeoutError(config: Config, time: number): Promise<unknown> {
    const cancelled = { ...config, cancelToken: undefined, signal: { aborted: true } };
    // In every axios 1.x a CanceledError is an AxiosError. Not by `__proto__`, which Node can turn off.
    const own: object = Object.getPrototypeOf(await this.cancelledError(cancelled));
    const { constructor: AxiosError } = Object.getPrototypeOf(own);
    const { timeoutErrorMessage, transitional, adapter } = config;
    const isClear = transitional?.clarifyTimeoutError === true || adapter === "fetch";
    return new AxiosError(
      timeoutErrorMessage || `timeout of ${time}ms exceeded`,
      isClear ? "ETIMEDOUT" : "ECONNABORTED",
      config,
    );
  }
}
