import { type CallFacts, socketKey } from "@retry-budget/core";
import type { Options } from "got";
import { isReplayable, isReplayableForm } from "./request-body.js";
import { socketPath } from "./socket-path.js";

/** What is read of a request's options as they are now: a redirect or a hook makes them other ones. */
export type CurrentOptions = Pick<
  Options,
  | "url"
  | "method"
  | "headers"
  | "body"
  | "followRedirect"
  | "hooks"
  | "retry"
  | "signal"
  | "throwHttpErrors"
  | "timeout"
>;

/** What got knows of a request: at its beginning, and at each decision by its options of then. */
export class GotFacts implements CallFacts {
  readonly client = "got";
  readonly method: string;
  readonly url: string | URL | undefined;
  readonly key: string | undefined;
  readonly options: unknown;
  current: CurrentOptions;
  readonly #isForm: boolean;

  constructor(options: Options) {
    const { url, method } = options;
    const path = socketPath(options);
    this.method = method;
    this.url = url;
    this.key = path === undefined ? undefined : socketKey(path);
    // got 11 has no context where none was given.
    this.options = (options.context as Options["context"] | undefined)?.["retryBudget"];
    this.current = options;
    this.#isForm = isReplayableForm(options);
  }

  maxAttempts(): number {
    return (this.current.retry.limit ?? 0) + 1;
  }

  requestHeader(name: string): unknown {
    return this.current.headers[name];
  }

  isReplayable(): boolean {
    return isReplayable(this.current, this.#isForm);
  }

  /** got's list of methods is the caller's word, the default as well as an override. */
  isIdempotent(): boolean | undefined {
    return this.current.retry.methods?.includes(this.current.method);
  }
}
