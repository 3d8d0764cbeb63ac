import type { RequestError, Response, RetryObject, RetryOptions } from "got";
import type { CurrentOptions } from "./current-request.js";

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
  readonly [mark]?: () => CalculateDelay | undefined;
}

/** Our functions in the retry options and the lists of hooks of one request. */
export class RequestHooks {
  readonly #ask: Watcher["ask"];
  readonly #beforeRequest: (options: CurrentOptions) => void;
  readonly #beforeRetry: (...args: unknown[]) => void;
  readonly #afterResponse: (response: Response) => Response;
  readonly #beforeError: (error: RequestError) => RequestError;

  constructor({ ask, beforeRequest, beforeRetry, afterResponse, beforeError }: Watcher) {
    this.#ask = ask;
    this.#beforeRequest = marked((options: CurrentOptions): void => {
      this.ensure(options);
      beforeRequest(options);
    });
    // got 11 puts the options before the error.
    this.#beforeRetry = marked((...args: unknown[]): void => {
      beforeRetry(args.find(isError), args[0]);
    });
    this.#afterResponse = marked((response: Response): Response => {
      afterResponse(response);
      return response;
    });
    this.#beforeError = marked((error: RequestError): RequestError => {
      beforeError(error);
      return error;
    });
  }

  /** Takes out what an earlier request has left, and puts ours in. */
  install(options: CurrentOptions): void {
    const { beforeRequest, beforeRetry, afterResponse, beforeError } = options.hooks;
    for (const list of [beforeRequest, beforeRetry, afterResponse, beforeError]) removeMarked(list);
    this.ensure(options);
  }

  /** Again and again: handlers and hooks replace options and lists, and got itself drops hooks. */
  ensure({ retry, hooks }: CurrentOptions): void {
    this.#wrapDelay(retry);
    // Last in their lists: the user's own hooks have then had their say.
    ensureIn(hooks.beforeRequest, this.#beforeRequest);
    ensureIn(hooks.beforeRetry, this.#beforeRetry);
    ensureIn(hooks.afterResponse, this.#afterResponse);
    // From got 15 on, what its own rules refuse never comes to calculateDelay.
    ensureIn(hooks.beforeError, this.#beforeError);
  }

  /** Whether these are our request's: a hook may let through the error of another one. */
  areIn(options: CurrentOptions | undefined): boolean {
    const { beforeRequest = [], beforeRetry = [] }: Partial<CurrentOptions["hooks"]> = Object(
      options?.hooks,
    );
    return beforeRequest.includes(this.#beforeRequest) || beforeRetry.includes(this.#beforeRetry);
  }

  #wrapDelay(retry: Partial<RetryOptions>): void {
    if (isAccessor(retry, "calculateDelay")) return;
    let own = userDelay(retry.calculateDelay);
    const ask = this.#ask;
    const delay = async function calculateDelay(this: unknown, object: RetryObject) {
      return ask(object, await own?.call(this, object));
    };
    const wrapped = Object.assign(delay, { [mark]: () => own });
    // Who sets another one later is asked first, and ours after it.
    Object.defineProperty(retry, "calculateDelay", {
      configurable: true,
      enumerable: true,
      get: () => wrapped,
      set: (later: CalculateDelay | undefined) => {
        own = userDelay(later);
      },
    });
  }
}

function isError(value: unknown): value is RequestError {
  return value instanceof Error;
}

function marked<Hook extends object>(hook: Hook): Hook {
  return Object.assign(hook, { [mark]: () => undefined });
}

function removeMarked(list: object[]): void {
  const users = list.filter((hook) => (hook as Marked)[mark] === undefined);
  list.splice(0, list.length, ...users);
}

function ensureIn<Hook>(list: Hook[], hook: Hook): void {
  if (!list.includes(hook)) list.push(hook);
}

/** The user's function, from under all of ours. */
function userDelay(delay: CalculateDelay | undefined): CalculateDelay | undefined {
  const original = (delay as Marked | undefined)?.[mark];
  return original === undefined ? delay : userDelay(original());
}

function isAccessor(object: object, name: string): boolean {
  return Object.getOwnPropertyDescriptor(object, name)?.get !== undefined;
}
