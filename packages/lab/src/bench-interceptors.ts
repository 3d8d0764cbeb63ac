import { retryBudget } from "@retry-budget/undici";
import type { Dispatcher } from "undici";

export type Undici = typeof import("undici");

export type InterceptorName = "bare" | "pass-through" | "retry" | "budget";

export const interceptorNames: readonly InterceptorName[] = [
  "bare",
  "pass-through",
  "retry",
  "budget",
];

/** Null: what the others are compared with, without an interceptor. */
export function interceptorOf(
  name: InterceptorName,
  { interceptors }: Undici,
): Dispatcher.DispatcherComposeInterceptor | null {
  if (name === "bare") return null;
  if (name === "pass-through") {
    return (dispatch) => (options, handler) => dispatch(options, handler);
  }
  return name === "retry" ? interceptors.retry() : retryBudget();
}
