import { breakerContract } from "./breaker-contract.js";
import { budgetContract } from "./budget-contract.js";
import { deadlineContract } from "./deadline-contract.js";
import type { Driver } from "./driver.js";
import { endingContract } from "./ending-contract.js";
import { layerContract } from "./layer-contract.js";
import { markContract } from "./mark-contract.js";
import { optionsContract } from "./options-contract.js";
import { repeatContract } from "./repeat-contract.js";
import { serverContract } from "./server-contract.js";

/** The guarantees, case by case, over real connections. Every adapter runs it with its driver. */
export function contract(driver: Driver): void {
  budgetContract(driver);
  endingContract(driver);
  optionsContract(driver);
  layerContract(driver);
  deadlineContract(driver);
  breakerContract(driver);
  if (!driver.http) return;
  serverContract(driver);
  repeatContract(driver);
  markContract(driver);
}
