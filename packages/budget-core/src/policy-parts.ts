import type { PolicySettings } from "./options.js";
import type { OriginRegistry } from "./origin-registry.js";
import type { Reporter } from "./reporter.js";
import type { Terms } from "./terms.js";
import type { Warn } from "./warnings.js";

/** What every call under a policy shares. */
export interface PolicyParts {
  readonly settings: PolicySettings;
  readonly registry: OriginRegistry;
  readonly reporter: Reporter;
  readonly warn: Warn;
  /** For calls that bring nothing of their own. */
  readonly commonTerms: Terms | undefined;
}
