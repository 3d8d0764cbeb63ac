import { mistake } from "@retry-budget/core";
import type { AxiosResponse, InternalAxiosRequestConfig } from "axios";

export type Config = InternalAxiosRequestConfig;
export type Adapter = Config["adapter"];
export type Send = (config: Config) => Promise<AxiosResponse>;
export type GetAdapter = (adapter: Adapter, config?: Config) => Send;

/** What an axios instance of any copy and version is accepted as. */
export interface AxiosInstanceLike {
  readonly interceptors: { readonly request: object; readonly response: object };
  readonly defaults: object;
  readonly request: unknown;
}

interface Interceptors {
  eject(id: number): void;
  clear?(): void;
}

interface Handler {
  readonly fulfilled?: unknown;
  readonly rejected?: unknown;
}

/** The part of an axios instance that is used. */
export interface Instance {
  readonly interceptors: {
    readonly request: Interceptors & {
      use(
        onFulfilled: (config: Config) => Config,
        onRejected: null,
        options: { synchronous: true },
      ): number;
    };
    readonly response: Interceptors & {
      use(
        onFulfilled: (response: unknown) => unknown,
        onRejected: (error: unknown) => Promise<never>,
      ): number;
      forEach?(visit: (handler: Handler) => void): void;
    };
  };
  readonly defaults: object;
  request(config: object): Promise<AxiosResponse>;
  create(): Instance;
  getAdapter?: GetAdapter;
}

/** @throws TypeError if this is no axios instance. */
export function expectInstance(value: unknown): Instance {
  const { interceptors, request, create } = Object(value) as Partial<Instance>;
  const functions = [
    request,
    create,
    interceptors?.request?.use,
    interceptors?.request?.eject,
    interceptors?.response?.use,
  ];
  if (functions.every((member) => typeof member === "function")) return value as Instance;
  throw mistake("instance", "axios or an instance made by axios.create()", value);
}
