import type { Outcome } from "@retry-budget/core";
import type { RequestError } from "got";

interface ResponseLike {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function outcomeOfResponse(response: ResponseLike): Outcome {
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  return { status: response.statusCode, header, response };
}

/**
 * @param computed the delay of got's own rules, 0 where they allow no retry
 * @param delay the delay after the user's calculateDelay
 */
export function outcomeOfError(error: RequestError, computed: number, delay: number): Outcome {
  const { response, options, request } = error;
  return {
    ...(response === undefined ? {} : outcomeOfResponse(response)),
    error,
    url: options.url,
    aborted: request?.destroyed === true,
    // got's 0 stays 0. A calculateDelay that overrides it is the user's word.
    ...(delay > 0 ? { delay, transient: computed > 0 ? undefined : true } : { final: true }),
  };
}
