import type { AxiosResponse } from "axios";
import type { Adapter, Config, Instance, Send } from "./axios-instance.js";

/** How a finished config gets through the sibling's merging. */
interface Carrier {
  readonly retryBudgetConfig?: () => Config;
}

/**
 * A second instance of the same axios, for what only axios itself can do: look up an adapter by its
 * name, and make its error for a cancelled request. It has no defaults, no interceptor but the one
 * that hands a finished config to its dispatch, and runs no transforms a second time.
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
    const unwrap = (config: Carrier): Config => {
      if (config.retryBudgetConfig === undefined) throw new Error("No config was handed over.");
      return config.retryBudgetConfig();
    };
    interceptors.request.use(unwrap as never, null, { synchronous: true });
  }

  sender(adapter: Adapter): Send {
    return (config) => {
      const carrier: Carrier = { retryBudgetConfig: () => withoutTransforms(config, adapter) };
      return this.#instance.request(carrier).then(
        (response) => giveBack(response, config),
        (error: unknown) => Promise.reject(giveBackAll(error, config)),
      );
    };
  }

  /** The error with which axios meets a request that is cancelled before it is sent. */
  cancelledError(config: Config): Promise<unknown> {
    const unsent: Send = () => Promise.reject(new Error("The request was not cancelled."));
    return this.sender(unsent)(config).catch((error: unknown) => error);
  }
}

function withoutTransforms(config: Config, adapter: Adapter): Config {
  const { transformRequest: _request, transformResponse: _response, ...rest } = config;
  return { ...rest, ...(adapter === undefined ? {} : { adapter }) };
}

function giveBackAll(error: unknown, config: Config): unknown {
  if (typeof error !== "object" || error === null) return error;
  giveBack(error as { config?: Config }, config);
  const { response } = error as { response?: AxiosResponse | null };
  if (response) giveBack(response, config);
  return error;
}

/** What the caller sees must hold the caller's config, not a copy of it. Others' are left alone. */
function giveBack<Holder extends { config?: Config }>(holder: Holder, config: Config): Holder {
  // Copies share the headers; what cannot be written to is somebody's frozen own.
  if (holder.config?.headers === config.headers) Reflect.set(holder, "config", config);
  return holder;
}
