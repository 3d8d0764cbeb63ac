import type { Outcome } from "@retry-budget/core";
import type { RequestError } from "got";
import { hasEnded } from "./has-ended.js";

interface ResponseLike {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function outcomeOfResponse(response: ResponseLike): Outcome {
  const { statusCode, headers } = response;
  return { status: statusCode, response, header: (name) => headers[name] };
}

/**
 * @param computed the delay of got's own rules, 0 where they allow no retry
 * @param own the delay after the user's calculateDelay; got takes whatever is truthy
 */
export function outcomeOfError(error: RequestError, computed: number, own: unknown): Outcome {
  // A hook of the user's may have put an error of its own in the place of got's.
  const { response }: Partial<RequestError> = Object(error);
  return {
    ...(response ? outcomeOfResponse(response) : {}),
    aborted: hasEnded(error),
    ...willOf(error, computed, own),
  };
}

/** For the error of another request, which a hook has made and let through. */
export function outcomeOfForeignError(
  error: RequestError,
  computed: number,
  own: unknown,
): Outcome {
  const will = willOf(error, computed, own);
  return computed > 0 ? { ...will, transient: true } : will;
}

// got's 0 stays 0. A calculateDelay that overrides it is the user's word.
function willOf(error: RequestError, computed: number, own: unknown): Outcome {
  if (!own) return { error, final: true };
  const delay = Math.max(0, Number(own) || 0);
  return { error, delay, transient: computed > 0 ? undefined : true };
}
