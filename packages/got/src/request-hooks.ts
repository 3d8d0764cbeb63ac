import type { RequestError, Response, RetryObject } from "got";
import type { CurrentOptions } from "./got-facts.js";
import { type CalculateDelay, marked, markOf, userDelay, usersOf } from "./hook-mark.js";

type BeforeRetry = (error: RequestError, retryCount?: number) => void;

/** What is to happen at each place where got lets one have a say. */
export interface Watcher {
  /** `own` is what the user's calculateDelay has given. */
  ask(object: RetryObject, own: unknown): Promise<number>;
  beforeRequest(options: CurrentOptions): void;
  beforeRetry(error: RequestError): void;
  /** got 11 makes the request anew within itself, with these options. */
  beforeInner(options: unknown): void;
  afterResponse(response: Response): void;
  beforeError(error: RequestError): void;
}

/**
 * Our functions in the retry options and the lists of hooks of one request. Two are made for each;
 * the others are the same for all, and find the request's own: objects that live as long as a
 * request are what it costs.
 */
export class RequestHooks {
  readonly #watcher: Watcher;
  readonly #beforeRequest: (options: CurrentOptions) => void;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
    this.#beforeRequest = marked((options: CurrentOptions): void => {
      this.ensure(options);
      watcher.beforeRequest(options);
    }, this);
  }

  /** Of the request that has these options, if any. */
  static of(options: unknown): RequestHooks | undefined {
    const { hooks } = Object(options) as Partial<CurrentOptions>;
    for (const hook of hooks?.beforeRequest ?? []) {
      const found = markOf(hook);
      if (found instanceof RequestHooks) return found;
    }
    return undefined;
  }

  get watcher(): Watcher {
    return this.#watcher;
  }

  /** Takes out what an earlier request has left, and puts ours in. */
  install(options: CurrentOptions): void {
    this.#wrapDelay(options);
    const { hooks } = options;
    // Last in their lists: the user's own hooks have then had their say.
    // By concat: a spread leaves room for 16 more in each.
    hooks.beforeRequest = usersOf(hooks.beforeRequest).concat(this.#beforeRequest);
    hooks.beforeRetry = usersOf(hooks.beforeRetry).concat(beforeRetry);
    hooks.afterResponse = usersOf(hooks.afterResponse).concat(afterResponse);
    // First: the user's may put an error of their own in its place. From got 15 on, what its own
    // rules refuse never comes to calculateDelay.
    hooks.beforeError = ([beforeError] as typeof hooks.beforeError).concat(
      usersOf(hooks.beforeError),
    );
  }

  /** Again and again: handlers and hooks replace options and lists, and got itself drops hooks. */
  ensure(options: CurrentOptions): void {
    this.#wrapDelay(options);
    const { hooks } = options;
    if (!hooks.beforeRequest.includes(this.#beforeRequest)) {
      hooks.beforeRequest = [...hooks.beforeRequest, this.#beforeRequest];
    }
    if (!hooks.beforeRetry.includes(beforeRetry)) {
      hooks.beforeRetry = [...hooks.beforeRetry, beforeRetry];
    }
    if (!hooks.afterResponse.includes(afterResponse)) {
      hooks.afterResponse = [...hooks.afterResponse, afterResponse];
    }
    if (!hooks.beforeError.includes(beforeError)) {
      hooks.beforeError = [beforeError, ...hooks.beforeError];
    }
  }

  /** For the error of another request, which leads to that one's hooks, or to none. */
  expectForeign({ hooks }: CurrentOptions): void {
    const watcher = this.#watcher;
    const watch = (error: RequestError): void => {
      hooks.beforeRetry = hooks.beforeRetry.filter((hook) => hook !== watch);
      watcher.beforeRetry(error);
    };
    hooks.beforeRetry = [...hooks.beforeRetry, marked(watch, true)];
  }

  /** The user is asked first, and ours after him. */
  #wrapDelay(options: CurrentOptions): void {
    const given = options.retry.calculateDelay;
    if ((given as Owned | undefined)?.[owner] === this) return;
    const own = userDelay(given);
    const watcher = this.#watcher;
    const wrapped: CalculateDelay & Owned = marked(
      async function calculateDelay(this: unknown, object: RetryObject) {
        return watcher.ask(object, await own?.call(this, object));
      },
      () => own,
    );
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

const beforeRetry: BeforeRetry = marked((...args: unknown[]): void => {
  // got 11 puts the options before the error, and gives no error where it makes the request anew.
  const error = args.find(isError);
  const hooks = RequestHooks.of(error === undefined ? args[0] : error.options);
  if (error === undefined) hooks?.watcher.beforeInner(args[0]);
  else hooks?.watcher.beforeRetry(error);
}, true);

const afterResponse = marked((response: Response): Response => {
  RequestHooks.of(response.request?.options)?.watcher.afterResponse(response);
  return response;
}, true);

const beforeError = marked((error: RequestError): RequestError => {
  RequestHooks.of(error.options)?.watcher.beforeError(error);
  return error;
}, true);

function isError(value: unknown): value is RequestError {
  return value instanceof Error;
}
