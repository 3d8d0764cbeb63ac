import type { AxiosResponse, InternalAxiosRequestConfig } from "axios";

export type Config = InternalAxiosRequestConfig;
export type Adapter = Config["adapter"];
export type Send = (config: Config) => Promise<AxiosResponse>;
export type GetAdapter = (adapter: Adapter, config?: Config) => Send;

/** What an axios instance of any copy and version is accepted as. */
export interface AxiosInstanceLike {
  readonly interceptors: { readonly request: object };
  readonly defaults: object;
  readonly request: unknown;
}

/** The part of an axios instance that is used. */
export interface Instance {
  readonly interceptors: {
    readonly request: {
      use(
        onFulfilled: (config: Config) => Config,
        onRejected: null,
        options: { synchronous: true },
      ): number;
      eject(id: number): void;
    };
  };
  readonly defaults: { readonly adapter?: Adapter };
  request(config: object): Promise<AxiosResponse>;
  create(): Instance;
  getAdapter?: GetAdapter;
}

/** @throws TypeError if this is no axios instance. */
export function expectInstance(value: unknown): Instance {
  const { interceptors, request, create } = Object(value) as Partial<Instance>;
  const { use, eject } = Object(interceptors?.request) as Partial<
    Instance["interceptors"]["request"]
  >;
  if ([use, eject, request, create].every((member) => typeof member === "function")) {
    return value as Instance;
  }
  const got = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new TypeError(
    `Expected \`instance\` to be axios or an instance made by axios.create(), got ${got}.`,
  );
}
