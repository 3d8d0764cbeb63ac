import { mistake } from "@retry-budget/core";

/** The part of a request's headers that is used. */
export interface Headers {
  get(name: string): unknown;
  set(name: string, value: unknown): unknown;
  delete(name: string): unknown;
}

/**
 * The part that is used of what an adapter is given. Written out here: axios' own types are not the
 * same in each of its versions, and those of two copies do not fit each other.
 */
export interface Config {
  readonly url?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly allowAbsoluteUrls?: boolean | undefined;
  readonly method?: string | undefined;
  readonly headers: Headers;
  readonly data?: unknown;
  readonly adapter?: Adapter;
  readonly transformRequest?: unknown;
  readonly responseType?: unknown;
  readonly socketPath?: unknown;
  readonly signal?: Signal | undefined;
  readonly cancelToken?: Token | undefined;
  readonly timeoutErrorMessage?: string | undefined;
  readonly transitional?: { readonly clarifyTimeoutError?: boolean } | undefined;
  readonly transport?: unknown;
  readonly beforeRedirect?: BeforeRedirect | undefined;
  readonly retryBudget?: unknown;
}

/** What axios calls before it follows a redirect, with the options of the request that follows. */
export type BeforeRedirect = (
  options: { readonly href: string; readonly headers: object },
  ...details: readonly unknown[]
) => void;

/** axios' signal is a generic one: React Native's has no listeners. */
interface Signal {
  readonly aborted?: boolean;
  addEventListener?(type: "abort", listener: () => void): void;
  removeEventListener?(type: "abort", listener: () => void): void;
}

/** The part of a `CancelToken` that adapters use. */
export interface Token {
  readonly reason?: unknown;
  readonly promise?: Promise<unknown>;
  throwIfRequested?(): void;
  subscribe?(listener: (reason: unknown) => void): void;
  unsubscribe?(listener: (reason: unknown) => void): void;
}

/** The part of a response that is used. */
export interface Response {
  readonly status: number;
  readonly headers: unknown;
  readonly data?: unknown;
  readonly request?: unknown;
  readonly config?: Config;
}

/** A name, a function, or a list of both. */
export type Adapter = unknown;
export type Send = (config: Config) => Promise<Response>;
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
  request(config: object): Promise<Response>;
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
