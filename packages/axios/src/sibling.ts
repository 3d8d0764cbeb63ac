import type { AxiosResponse } from "axios";
import type { Adapter, Config, Instance, Send } from "./axios-instance.js";

/**
 * A second instance of the same axios, for what only axios itself can do: look up an adapter by its
 * name, and make its error for a cancelled request. It has no interceptors but the one that hands a
 * finished config to its dispatch, and runs no transforms a second time.
 */
export class Sibling {
  readonly #instance: Instance;
  #next: Config | undefined;

  constructor(instance: Instance) {
    this.#instance = instance.create();
    this.#instance.interceptors.request.use((config) => this.#next ?? config, null, {
      // The chain then runs within the call to request(), and `#next` cannot be another call's.
      synchronous: true,
    });
  }

  sender(adapter: Adapter): Send {
    return (config) => {
      this.#next = withoutTransforms(config, adapter);
      const response = this.#instance.request({});
      this.#next = undefined;
      return response.then(
        (value) => withConfig(value, config),
        (error: unknown) => Promise.reject(withErrorConfig(error, config)),
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

// What the caller sees must hold the caller's config, not this copy of it.
function withConfig(response: AxiosResponse, config: Config): AxiosResponse {
  response.config = config;
  return response;
}

function withErrorConfig(error: unknown, config: Config): unknown {
  const { config: copy, response } = Object(error) as {
    config?: Config;
    response?: AxiosResponse;
  };
  if (copy !== undefined) (error as { config: Config }).config = config;
  if (response !== undefined) withConfig(response, config);
  return error;
}
