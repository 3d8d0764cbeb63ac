import type { Call, CallFacts } from "./call.js";
import { expectFunction } from "./expect.js";
import { mistake, plainOptions } from "./mistake.js";
import type { RetryPolicyOptions } from "./options.js";
import type { OriginSnapshot } from "./origin-account.js";
import { OriginRegistry } from "./origin-registry.js";
import { outerCall } from "./outer-call.js";
import { PolicyCall } from "./policy-call.js";
import type { PolicyParts } from "./policy-parts.js";
import { type Listener, Reporter } from "./reporter.js";
import { resolvePolicyOptions } from "./resolve-options.js";
import { type Runner, run, sendSafely } from "./run.js";
import { commonTerms, resolveTerms } from "./terms.js";
import { createWarner, warnOfContradictions } from "./warnings.js";

// A structural mark: a policy of another copy of this package is a policy, too.
const brand: unique symbol = Symbol.for("retry-budget.policy.v1");

/** Budgets, limits, backoff and classification: what an adapter consults. */
export interface RetryPolicy {
  readonly [brand]: true;
  /** Calls back with every event; gives the way to stop. A listener that throws changes nothing. */
  subscribe(listener: Listener): () => void;
  /** The state of every origin known now. */
  snapshot(): OriginSnapshot[];
  /** For adapters: an original begins. `undefined` where the request has opted out. */
  call(facts: CallFacts): Call | undefined;
  /** For adapters of clients that are functions: the whole loop. */
  run<Value>(facts: CallFacts, runner: Runner<Value>): Promise<Value>;
}

/**
 * A policy to share between clients.
 * @throws TypeError that names the option and the value.
 */
export function createRetryPolicy(options: RetryPolicyOptions = {}): RetryPolicy {
  if (isRetryPolicy(options)) {
    throw mistake("options", plainOptions, options);
  }
  const warn = createWarner();
  const settings = resolvePolicyOptions(options, warn);
  warnOfContradictions(options, settings, warn);
  const reporter = new Reporter(warn);
  const registry = new OriginRegistry(settings, reporter, warn);
  const terms = commonTerms({ settings, warn });
  return new Policy({ settings, reporter, registry, warn, commonTerms: terms });
}

export function isRetryPolicy(value: unknown): value is RetryPolicy {
  return typeof value === "object" && value !== null && brand in value;
}

class Policy implements RetryPolicy {
  readonly [brand] = true;
  readonly #parts: PolicyParts;

  constructor(parts: PolicyParts) {
    this.#parts = parts;
  }

  subscribe(listener: Listener): () => void {
    expectFunction("listener", listener);
    return this.#parts.reporter.subscribe(listener);
  }

  snapshot(): OriginSnapshot[] {
    return this.#parts.registry.snapshot();
  }

  call(facts: CallFacts): Call | undefined {
    if (facts.options === false) return undefined;
    return openCall(this.#parts, facts);
  }

  run<Value>(facts: CallFacts, runner: Runner<Value>): Promise<Value> {
    const call = this.call(facts);
    return call === undefined ? sendSafely(runner) : run(call, facts, runner);
  }
}

// The constructor only assigns: V8 inlines that.
function openCall(parts: PolicyParts, facts: CallFacts): Call {
  const { registry, commonTerms } = parts;
  // Most calls bring nothing of their own: they share the terms of their policy.
  const outer = outerCall();
  const isCommon = facts.options === undefined && facts.key === undefined && outer === undefined;
  const terms = (isCommon && commonTerms) || resolveTerms(facts, parts, outer);
  const account =
    terms.key === undefined ? registry.of(facts.url ?? "") : registry.ofKey(terms.key);
  return new PolicyCall(parts, facts, terms, account);
}
