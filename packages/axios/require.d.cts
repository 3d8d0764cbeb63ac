// axios has types of its own for require(): what the package adds to its config is added to them here.
import type { RetryBudgetRequestOptions } from "@retry-budget/core" with {
  "resolution-mode": "import",
};
import type {} from "axios";

declare module "axios" {
  interface AxiosRequestConfig {
    retryBudget?: false | RetryBudgetRequestOptions | undefined;
  }
}

export {
  type Attachment,
  type AxiosInstanceLike,
  type AxiosRetryOptions,
  type AxiosSettings,
  fromAxiosRetry,
  retryBudget,
} from "./dist/index.js";
