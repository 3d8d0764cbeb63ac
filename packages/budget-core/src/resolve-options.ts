import { type Clock, containClock } from "./clock.js";
import { type Fields, resolveFields } from "./fields.js";
import type { PolicySettings } from "./options.js";
import { policyFields } from "./policy-fields.js";
import type { Warn } from "./warnings.js";

/** @throws TypeError that names the field and the value. */
export function resolvePolicyOptions(options: unknown, warn: Warn): PolicySettings {
  return resolveOptions(policyFields, options, warn);
}

/** Options with a clock among them, which must not fail a request. */
export function resolveOptions<Settings>(fields: Fields, options: unknown, warn: Warn): Settings {
  const resolved = resolveFields(fields, options);
  return { ...resolved, clock: containClock(resolved["clock"] as Clock, warn) } as Settings;
}
