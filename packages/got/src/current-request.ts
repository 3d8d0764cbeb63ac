import type { Options } from "got";

/** What is read of a request's options as they are now: a redirect or a hook makes them other ones. */
export type CurrentOptions = Pick<
  Options,
  "url" | "method" | "headers" | "body" | "cache" | "hooks" | "retry"
>;

/** The request on its way, with the options that it has at the moment. */
export interface CurrentRequest {
  options: CurrentOptions;
}
