import { mistake } from "@retry-budget/core";

/** @throws TypeError that names the field and the value. */
export function expectMs(field: string, value: unknown): number {
  if (typeof value === "number" && value > 0) return value;
  throw mistake(field, "a number of ms above 0", value);
}

/** @throws TypeError that names the field and the value. */
export function expectShare(field: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw mistake(field, "a number from 0 to 1", value);
}
