import type { Attempt } from "@retry-budget/core";
import type { Adapter, BeforeRedirect, Config } from "./axios-instance.js";
import { Marking } from "./marking.js";
import { requestUrl } from "./request-url.js";
import { seesRedirects } from "./sees-redirects.js";
import { warnOfMarks } from "./warnings.js";

/** An attempt whose headers tell the server of it. */
export interface MarkedAttempt {
  /** What its config has instead of the caller's. */
  readonly changes: Partial<Config>;
  takeOff(): void;
}

/**
 * Marks the config's own headers, on which axios writes as well; undefined where nobody is to be
 * told, or where marks might follow a redirect to somebody who is not.
 */
export function markAttempt(
  config: Config,
  marks: NonNullable<Attempt["marks"]>,
  adapter: Adapter,
): MarkedAttempt | undefined {
  const { headers } = config;
  const own = marks(requestUrl(config));
  if (!seesRedirects(adapter, config)) {
    if (own !== undefined && Object.keys(own).length > 0) warnOfMarks();
    return undefined;
  }
  const marking = new Marking();
  marking.put(headers, own);
  const beforeRedirect: BeforeRedirect = (options, ...details) => {
    config.beforeRedirect?.(options, ...details);
    marking.move(options.headers, marks(options.href));
  };
  return { changes: { beforeRedirect }, takeOff: () => marking.takeOff(headers) };
}
