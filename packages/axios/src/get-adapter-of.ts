import * as found from "axios";
import type { GetAdapter, Instance } from "./axios-instance.js";

/** A part of what axios exports; of a mock of it perhaps nothing. */
interface StaticAxios {
  readonly interceptors?: { readonly request?: object };
  readonly getAdapter?: GetAdapter;
}

/**
 * Only the static `axios` can look up an adapter by its name, and no instance leads to it. The one
 * that is found from here serves if it is the same copy; by any other it would be a foreign adapter.
 */
export function getAdapterOf(instance: Instance): GetAdapter | undefined {
  if (instance.getAdapter !== undefined) return instance.getAdapter;
  const { default: axios } = found as unknown as { readonly default?: StaticAxios };
  // Each copy has classes of its own.
  const isSameCopy =
    axios?.interceptors?.request?.constructor === instance.interceptors.request.constructor;
  return isSameCopy ? axios?.getAdapter : undefined;
}
