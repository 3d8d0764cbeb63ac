import type { RequestError, Response, RetryObject } from "got";
import type { CurrentOptions } from "./got-facts.js";
import { hookInside, hookItself } from "./hook-inside.js";
import { type CalculateDelay, standIn, userDelay, usersOf } from "./stand-in.js";

/** What is to happen at each place where got lets one have a say. */
export interface Watcher {
  /** `own` is what the user's calculateDelay has given. */
  ask(object: RetryObject, own: unknown): Promise<number>;
  /** Gives what got is to take for its request, if it is not to make one. */
  beforeRequest(options: CurrentOptions): unknown;
  beforeRetry(error: RequestError): void;
  /** got 11 makes the request anew within itself, with these options. */
  beforeInner(options: unknown): void;
  afterResponse(response: Response): void;
  beforeError(error: RequestError): void;
  /** Runs a hook of the user's. */
  within<Result>(work: () => Result): Result;
}

type Lists = Pick<
  CurrentOptions["hooks"],
  "beforeRequest" | "beforeRetry" | "afterResponse" | "beforeError"
>;

type AnyHook = (...args: never[]) => unknown;

/** Our functions in the retry options and the lists of hooks of one request. */
export class RequestHooks {
  readonly #watcher: Watcher;
  readonly #beforeRequest: (options: CurrentOptions) => undefined;
  readonly #beforeRetry: (...args: unknown[]) => void;
  readonly #afterResponse: (response: Response) => Response;
  readonly #beforeError: (error: RequestError) => RequestError;
  #delay: CalculateDelay | undefined;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
    this.#beforeRequest = standIn((options: CurrentOptions): undefined => {
      this.ensure(options);
      // Wider than got's type: what is no response is taken for the request.
      return watcher.beforeRequest(options) as undefined;
    });
    this.#beforeRetry = standIn((...args: unknown[]): void => {
      // got 11 puts the options before the error, and gives none where it makes the request anew.
      const error = args.find(isError);
      if (error === undefined) watcher.beforeInner(args[0]);
      else watcher.beforeRetry(error);
    });
    this.#afterResponse = standIn((response: Response): Response => {
      watcher.afterResponse(response);
      return response;
    });
    this.#beforeError = standIn((error: RequestError): RequestError => {
      watcher.beforeError(error);
      return error;
    });
  }

  /** Takes out what an earlier request has left, and puts ours in. */
  install(options: CurrentOptions): void {
    this.#wrapDelay(options);
    this.#putInto(options);
  }

  /** Again and again: handlers and hooks replace options and lists, and got itself drops hooks. */
  ensure(options: CurrentOptions): void {
    this.#wrapDelay(options);
    if (!this.#areAllIn(options.hooks)) this.#putInto(options);
  }

  /** Whether these are our request's: a hook may let through the error of another one. */
  areIn(options: CurrentOptions | undefined): boolean {
    const { beforeRequest, beforeRetry }: Partial<Lists> = Object(options?.hooks);
    return holds(beforeRequest, this.#beforeRequest) || holds(beforeRetry, this.#beforeRetry);
  }

  #areAllIn({ beforeRequest, beforeRetry, afterResponse, beforeError }: Partial<Lists>): boolean {
    return (
      holds(beforeRequest, this.#beforeRequest) &&
      holds(beforeRetry, this.#beforeRetry) &&
      holds(afterResponse, this.#afterResponse) &&
      // From got 15 on, what its own rules refuse never comes to calculateDelay.
      holds(beforeError, this.#beforeError)
    );
  }

  /** Last in their lists: the user's own hooks have then had their say. */
  #putInto(options: CurrentOptions): void {
    // Only got 11 has plain options: it takes the very object that a handler gives.
    if (Object.hasOwn(options, "hooks")) options.hooks = { ...options.hooks };
    const { hooks } = options;
    // Other lists: handlers may give one that requests share, or that is frozen.
    hooks.beforeRequest = this.#inside(hooks.beforeRequest).concat(this.#beforeRequest);
    hooks.beforeRetry = this.#inside(hooks.beforeRetry).concat(this.#beforeRetry);
    hooks.afterResponse = this.#inside(hooks.afterResponse).concat(this.#afterResponse);
    hooks.beforeError = usersOf(hooks.beforeError).concat(this.#beforeError);
    // We have none in these, and not every got has the last one, nor have its types.
    if (hooks.beforeRedirect?.length > 0) hooks.beforeRedirect = this.#inside(hooks.beforeRedirect);
    const later: { beforeCache?: AnyHook[] } = hooks as object;
    if (later.beforeCache?.length) later.beforeCache = this.#inside(later.beforeCache);
  }

  /** The user's hooks that run once for each attempt. Not all of `next`: that opens sockets for others, too. */
  #inside<Hook extends AnyHook>(list: Hook[] | undefined): Hook[] {
    const within: Watcher["within"] = (work) => this.#watcher.within(work);
    return usersOf(list).map((hook) => hookInside(hookItself(hook), within));
  }

  /** The user is asked first, and ours after him. */
  #wrapDelay(options: CurrentOptions): void {
    const { calculateDelay } = options.retry;
    if (calculateDelay !== undefined && calculateDelay === this.#delay) return;
    const own = userDelay(calculateDelay);
    const watcher = this.#watcher;
    const delay = async function (this: unknown, object: RetryObject): Promise<number> {
      return watcher.ask(object, await own?.call(this, object));
    };
    this.#delay = standIn(delay, () => own);
    if (Object.hasOwn(options, "retry")) options.retry = { ...options.retry };
    options.retry.calculateDelay = this.#delay;
  }
}

function isError(value: unknown): value is RequestError {
  return value instanceof Error;
}

function holds<Hook>(list: Hook[] | undefined, hook: Hook): boolean {
  return list?.includes(hook) === true;
}
