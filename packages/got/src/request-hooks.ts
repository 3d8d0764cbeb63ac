import type { RequestError, Response, RetryObject, RetryOptions } from "got";
import type { CurrentOptions } from "./got-facts.js";

type CalculateDelay = RetryOptions["calculateDelay"];

/** What is to happen at each place where got lets one have a say. */
export interface Watcher {
  /** `own` is what the user's calculateDelay has given. */
  ask(object: RetryObject, own: unknown): Promise<number>;
  beforeRequest(options: CurrentOptions): void;
  /** Without an error where got 11 makes the request anew: with the options of that one. */
  beforeRetry(error: RequestError | undefined, options: unknown): void;
  afterResponse(response: Response): void;
  beforeError(error: RequestError): void;
}

// Options are cloned with all that is in them, so that a page of a pagination or another copy of
// this package meets what an earlier request has put there.
const mark: unique symbol = Symbol.for("retry-budget.got-hook.v1");

interface Marked {
  /** What ours stands in front of. */
  [mark]?: () => CalculateDelay | undefined;
}

/** Our functions in the retry options and the lists of hooks of one request. */
export class RequestHooks {
  readonly #watcher: Watcher;
  readonly #beforeRequest: (options: CurrentOptions) => void;
  readonly #beforeRetry: (...args: unknown[]) => void;
  readonly #afterResponse: (response: Response) => Response;
  readonly #beforeError: (error: RequestError) => RequestError;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
    this.#beforeRequest = marked((options: CurrentOptions): void => {
      this.ensure(options);
      watcher.beforeRequest(options);
    });
    // got 11 puts the options before the error.
    this.#beforeRetry = marked((...args: unknown[]): void => {
      watcher.beforeRetry(args.find(isError), args[0]);
    });
    this.#afterResponse = marked((response: Response): Response => {
      watcher.afterResponse(response);
      return response;
    });
    this.#beforeError = marked((error: RequestError): RequestError => {
      watcher.beforeError(error);
      return error;
    });
  }

  /** Takes out what an earlier request has left, and puts ours in. */
  install(options: CurrentOptions): void {
    this.#wrapDelay(options);
    const { hooks } = options;
    // Last in their lists: the user's own hooks have then had their say.
    hooks.beforeRequest = [...usersOf(hooks.beforeRequest), this.#beforeRequest];
    hooks.beforeRetry = [...usersOf(hooks.beforeRetry), this.#beforeRetry];
    hooks.afterResponse = [...usersOf(hooks.afterResponse), this.#afterResponse];
    // From got 15 on, what its own rules refuse never comes to calculateDelay.
    hooks.beforeError = [...usersOf(hooks.beforeError), this.#beforeError];
  }

  /** Again and again: handlers and hooks replace options and lists, and got itself drops hooks. */
  ensure(options: CurrentOptions): void {
    this.#wrapDelay(options);
    const { hooks } = options;
    hooks.beforeRequest = including(hooks.beforeRequest, this.#beforeRequest);
    hooks.beforeRetry = including(hooks.beforeRetry, this.#beforeRetry);
    hooks.afterResponse = including(hooks.afterResponse, this.#afterResponse);
    hooks.beforeError = including(hooks.beforeError, this.#beforeError);
  }

  /** Whether these are our request's: a hook may let through the error of another one. */
  areIn(options: CurrentOptions | undefined): boolean {
    const { beforeRequest = [], beforeRetry = [] }: Partial<CurrentOptions["hooks"]> = Object(
      options?.hooks,
    );
    return beforeRequest.includes(this.#beforeRequest) || beforeRetry.includes(this.#beforeRetry);
  }

  /** The user is asked first, and ours after him. */
  #wrapDelay(options: CurrentOptions): void {
    const given = options.retry.calculateDelay;
    if ((given as Owned | undefined)?.[owner] === this) return;
    const own = userDelay(given);
    const watcher = this.#watcher;
    const wrapped: CalculateDelay & Marked & Owned = async function calculateDelay(
      this: unknown,
      object: RetryObject,
    ) {
      return watcher.ask(object, await own?.call(this, object));
    };
    wrapped[mark] = () => own;
    wrapped[owner] = this;
    // Only got 11 has plain options: it takes the very object that a handler gives.
    if (Object.hasOwn(options, "retry")) options.retry = { ...options.retry };
    options.retry.calculateDelay = wrapped;
  }
}

const owner: unique symbol = Symbol("owner");

interface Owned {
  [owner]?: RequestHooks;
}

function isError(value: unknown): value is RequestError {
  return value instanceof Error;
}

const nothing = (): undefined => undefined;

function marked<Hook extends object>(hook: Hook): Hook {
  (hook as Marked)[mark] = nothing;
  return hook;
}

function usersOf<Hook extends object>(list: readonly Hook[]): readonly Hook[] {
  return list.length === 0 ? list : list.filter((hook) => (hook as Marked)[mark] === undefined);
}

/** Another list: handlers may give one that requests share, or that is frozen. */
function including<Hook>(list: Hook[], hook: Hook): Hook[] {
  return list.includes(hook) ? list : [...list, hook];
}

/** The user's function, from under all of ours. */
function userDelay(delay: CalculateDelay | undefined): CalculateDelay | undefined {
  const original = (delay as Marked | undefined)?.[mark];
  return original === undefined ? delay : userDelay(original());
}
