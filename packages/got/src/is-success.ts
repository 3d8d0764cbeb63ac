import type { CurrentOptions } from "./got-facts.js";

/** As got judges it, who does so again after hooks that may have changed the status. */
export function isSuccess(status: number, { followRedirect }: CurrentOptions): boolean {
  return (status >= 200 && status <= (followRedirect ? 299 : 399)) || status === 304;
}
