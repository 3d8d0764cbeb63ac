import type { CallFacts } from "./call.js";
import { type Decision, decide, type Situation } from "./decide.js";
import type { FailedCall } from "./failed-call.js";
import { Grant } from "./grant.js";
import type { Outcome } from "./outcome.js";
import type { PolicyParts } from "./policy-parts.js";
import { hasHooks, prepareRetry } from "./prepare-retry.js";
import { type Refusal, recordRefusal } from "./refusal.js";
import { retryContext } from "./retry-context.js";
import type { Terms } from "./terms.js";

/** What is known of a failure besides what holds for the whole call. */
type Failure = Pick<Situation, "outcome" | "kind" | "signals" | "ended" | "marks">;

/** What follows the failed attempts of a call: a granted retry, or a refusal. Most calls have none. */
export class Retries {
  readonly #call: FailedCall;
  readonly #facts: CallFacts;
  readonly #terms: Terms;
  readonly #parts: PolicyParts;
  #grant: Grant | undefined;

  constructor(call: FailedCall, facts: CallFacts, terms: Terms, parts: PolicyParts) {
    this.#call = call;
    this.#facts = facts;
    this.#terms = terms;
    this.#parts = parts;
  }

  /** The retry that waits to be sent. */
  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** An outcome that is told while a retry is granted; undefined where that says something new. */
  settle(outcome: Outcome): Decision | undefined {
    const grant = this.#grant;
    const { sent, aborted, final } = outcome;
    // It comes to nothing: the client has ended the request for a reason of its own.
    if (final === true) return this.revoke("aborted", outcome);
    // Of a retry that failed before it was sent the client says so.
    if (grant === undefined || sent === false || aborted === true) return undefined;
    // Said twice of one attempt.
    return { retry: true, delay: grant.delay };
  }

  decide(failure: Failure): Decision | undefined {
    const { account, attempts } = this.#call;
    const decision = decide({
      parts: this.#parts,
      facts: this.#facts,
      terms: this.#terms,
      account,
      attempts,
      ...failure,
    });
    const { end } = this.#call;
    // A listener or a rule of the user's may have ended the call meanwhile.
    if (end !== undefined) {
      if (decision.retry) account.refund();
      return end ?? undefined;
    }
    const { outcome, signals } = failure;
    if (!decision.retry) return this.refuse(decision.refusal, outcome, signals?.wait);
    this.#grant = new Grant(account, decision.delay, outcome);
    return decision;
  }

  refuse(refusal: Refusal, outcome: Outcome, retryAfter?: number): Decision {
    const { account, attempts } = this.#call;
    const { origin, balance } = account;
    const reason = retryAfter === undefined ? { refusal } : { refusal, retryAfter };
    const carriers = [outcome.error, outcome.response, this.#call];
    recordRefusal(carriers, { ...reason, origin, attempts, balance });
    const end: Decision = { retry: false, refusal };
    // Before it is reported: a listener may come back here.
    this.#call.finish(end);
    account.countRefusal(refusal);
    this.#parts.reporter.report("refused", account, { ...this.#fields, ...reason });
    return end;
  }

  /** The granted retry is sent. */
  spend(): void {
    const grant = this.#grant;
    if (grant === undefined) return;
    this.#grant = undefined;
    const { account, delay } = grant;
    grant.isOver = true;
    account.retries++;
    this.#parts.reporter.report("retry", account, { ...this.#fields, delay });
  }

  giveBack(): void {
    const grant = this.#grant;
    if (grant === undefined) return;
    this.#grant = undefined;
    this.#call.leave();
    grant.revoke();
  }

  /** The granted retry comes to nothing. */
  revoke(refusal: Refusal, outcome?: Outcome): Decision | undefined {
    const grant = this.#grant;
    if (grant === undefined) return undefined;
    this.giveBack();
    return this.refuse(refusal, outcome ?? grant.outcome);
  }

  async prepare(headers: unknown): Promise<boolean> {
    const grant = this.#grant;
    if (grant === undefined) return false;
    const { settings } = this.#parts;
    // A wait that was found to end in time may have ended later: timers do, and clients' own waits.
    if (this.#terms.deadline.isPassedIn(settings.minAttemptTime)) this.revoke("deadline");
    else if (hasHooks(settings, this.#terms)) await this.#runHooks(grant, headers);
    // It may have been revoked meanwhile.
    if (this.#grant !== grant) return false;
    // The circuit may have opened during the wait.
    const denial = this.#call.pass(grant.account);
    if (this.#grant !== grant) {
      // A listener of the breaker's has ended the call: its token has gone back.
      this.#call.leave();
      return false;
    }
    if (denial !== undefined) this.revoke(denial.refusal);
    return denial === undefined;
  }

  async #runHooks(grant: Grant, headers: unknown): Promise<void> {
    const { deadline, body } = this.#terms;
    const context = retryContext(this.#facts, grant, this.#call.attempts + 1, headers);
    const stopDeadline = deadline.schedule(() => this.revoke("deadline"));
    const prepared = await grant.during(
      this.#call.within(() => prepareRetry(grant, context, body, this.#parts)),
    );
    stopDeadline();
    if (prepared === false) this.revoke("aborted");
  }

  get #fields(): { client: string; method: string; attempt: number } {
    const { client, method } = this.#facts;
    return { client, method, attempt: this.#call.attempts };
  }
}
