import { type Assessment, assess, isTried } from "./assess.js";
import { BreakerGate } from "./breaker-gate.js";
import type { Call, CallFacts, Denial } from "./call.js";
import { noDeadline } from "./deadline.js";
import { type Decision, decide } from "./decide.js";
import { Grant } from "./grant.js";
import { type Inside, insideOf } from "./inside.js";
import { marksFor } from "./marks.js";
import type { OriginAccount } from "./origin-account.js";
import type { Outcome } from "./outcome.js";
import { runInside } from "./outer-call.js";
import type { PolicyParts } from "./policy-parts.js";
import { prepareRetry } from "./prepare-retry.js";
import { type Refusal, recordRefusal } from "./refusal.js";
import { retryContext } from "./retry-context.js";
import type { Terms } from "./terms.js";
import { warnOfOutcome } from "./warnings.js";

/** The books of one call. */
export class PolicyCall implements Call {
  attempts = 0;
  readonly #parts: PolicyParts;
  readonly #facts: CallFacts;
  readonly #terms: Terms;
  #account: OriginAccount;
  #inFlight = false;
  #hasEarned = false;
  #grant: Grant | undefined;
  #gate: BreakerGate | undefined;
  #inside: Inside | undefined;
  #denial: Denial | undefined;
  #marks: Readonly<Record<string, string>> | undefined;
  #isExpired = false;
  /** The refusal that ended the call; null after a success. */
  #end: Decision | null | undefined;

  constructor(parts: PolicyParts, facts: CallFacts, terms: Terms, account: OriginAccount) {
    this.#parts = parts;
    this.#facts = facts;
    this.#terms = terms;
    this.#account = account;
  }

  get pending(): boolean {
    return this.#grant !== undefined;
  }

  get needsPreparing(): boolean {
    return this.#hasHooks || this.hasDeadline || this.#account.breaker !== undefined;
  }

  get hasDeadline(): boolean {
    return this.#terms.deadline !== noDeadline;
  }

  remaining(): number {
    return this.#terms.deadline.remaining();
  }

  get hasMarks(): boolean {
    return this.#parts.settings.marks !== undefined;
  }

  get body(): unknown {
    return this.#grant?.body;
  }

  begin(): Denial | undefined {
    if (this.#terms.isTooLate) {
      this.#denial = { refusal: "deadline", time: this.#terms.deadline.time };
    } else if (this.#account.breaker !== undefined) {
      this.#denial = this.#pass(this.#account);
    }
    return this.#denial;
  }

  within<Result>(work: () => Result): Result {
    this.#inside ??= insideOf(this, this.#parts.settings, this.#facts, this.#terms);
    return this.#inside === undefined ? work() : runInside(this.#inside, work);
  }

  marks(url: string | URL): Readonly<Record<string, string>> | undefined {
    // Asked before it is sent, which for a first attempt nothing has said yet.
    const isNext = !this.#inFlight || this.attempts === 0;
    const attempt = this.attempts + (isNext ? 1 : 0);
    this.#marks = marksFor(this.#parts, this.#facts, this.#terms, attempt, url);
    return this.#marks;
  }

  continue(attempts: number): void {
    if (this.attempts === 0) this.attempts = attempts;
  }

  sent(url?: string | URL): void {
    this.#send(url, true);
  }

  chargeTo(key: string): void {
    // Where the attempt went otherwise is not known.
    this.#switchTo(this.#parts.registry.ofKey(key), false);
  }

  settle(outcome: Outcome): Decision | undefined {
    if (this.#end !== undefined) return this.#settleLate(outcome);
    if (this.#grant !== undefined) {
      const { sent, aborted, final } = outcome;
      // It comes to nothing: the client has ended the request for a reason of its own.
      if (final === true) return this.#revoke("aborted", outcome);
      // Said twice of one attempt. Of a retry that failed before it was sent the client says so.
      if (sent !== false && aborted !== true) return { retry: true, delay: this.#grant.delay };
    }
    try {
      return this.#decideOn(outcome);
    } catch (error) {
      // A getter of an error or of headers may throw. The caller still gets what the client gave.
      warnOfOutcome(this.#parts.warn, error);
      this.#giveBack();
      this.#gate?.leave();
      return this.#refuse("permanent", outcome);
    }
  }

  succeed(status: number): boolean {
    // Nothing that an outcome could change is open: it was sent, and no retry is granted.
    const isPlain = this.#inFlight && this.#grant === undefined && this.#end === undefined;
    if (status >= 400 || !isPlain || this.#parts.settings.classify !== undefined) return false;
    this.#inFlight = false;
    this.#gate?.settle("success", {});
    this.#succeed(status);
    return true;
  }

  onDeadline(listener: (time: number) => void): () => void {
    const { deadline } = this.#terms;
    return deadline.schedule(() => {
      this.#isExpired = true;
      listener(deadline.time);
    });
  }

  async sleep(): Promise<void> {
    await this.#grant?.sleep(this.#parts.settings.clock);
  }

  async prepare(headers?: unknown): Promise<boolean> {
    const grant = this.#grant;
    if (grant === undefined) return false;
    const { minAttemptTime } = this.#parts.settings;
    // A wait that was found to end in time may have ended later: timers do, and clients' own waits.
    if (this.#terms.deadline.isPassedIn(minAttemptTime)) this.#revoke("deadline", grant.outcome);
    else if (this.#hasHooks) await this.#prepare(grant, headers);
    // It may have been revoked meanwhile.
    if (this.#grant !== grant) return false;
    // The circuit may have opened during the wait.
    const denial = this.#pass(grant.account);
    if (this.#grant !== grant) {
      // A listener of the breaker's has ended the call: its token has gone back.
      this.#gate?.leave();
      return false;
    }
    if (denial !== undefined) this.#revoke(denial.refusal, grant.outcome);
    return denial === undefined;
  }

  abandon(): void {
    if (this.#grant !== undefined) this.#revoke("aborted", this.#grant.outcome);
  }

  #send(url: string | URL | undefined, hasAnswered: boolean): void {
    // After a success the caller may go on by itself, with a fresh token for instance.
    if (this.#end) return;
    this.#end = undefined;
    this.#inside?.open(this);
    const moved = url !== undefined && this.#moveTo(url, hasAnswered && this.#inFlight);
    if (!this.#inFlight) this.#start();
    else if (moved && this.attempts === 1) this.#countOriginal();
  }

  #start(): void {
    this.#inFlight = true;
    if (++this.attempts === 1) this.#countOriginal();
    if (this.#grant !== undefined) this.#spend(this.#grant);
  }

  /** Of the user's, which take their time. */
  get #hasHooks(): boolean {
    return this.#parts.settings.onRetry !== undefined || this.#terms.body !== undefined;
  }

  #pass(account: OriginAccount): Denial | undefined {
    if (account.breaker === undefined) return undefined;
    this.#gate ??= new BreakerGate(this.#parts.warn);
    return this.#gate.pass(account);
  }

  #countOriginal(): void {
    // The layer that retries has counted it.
    if (this.#terms.standsDown) return;
    const account = this.#account;
    account.originals++;
    if (this.#parts.settings.depositOn === "request") account.deposit();
    if (this.#parts.reporter.hears("original")) this.#report("original", account, {});
  }

  #spend(grant: Grant): void {
    const { account, delay } = grant;
    this.#grant = undefined;
    grant.isOver = true;
    account.retries++;
    this.#report("retry", account, { delay });
  }

  #decideOn(outcome: Outcome): Decision | undefined {
    const ended = this.#refusalBefore(outcome);
    const assessment: Assessment = ended ? { kind: "transient" } : this.#assess(outcome);
    // A refused connection is an attempt; what failed before it could be tried is none.
    if (this.#denial === undefined && isTried(assessment.kind, outcome)) {
      // Not where it went: a proxy that could not be reached.
      this.#send(outcome.url, outcome.sent !== false);
    }
    this.#inFlight = false;
    this.#giveBack();
    this.#gate?.settle(assessment.kind, outcome, this.#isLate(outcome));
    if (assessment.kind === "success") return this.#succeed(outcome.status ?? 0, outcome.tried);
    const decision = decide({
      parts: this.#parts,
      facts: this.#facts,
      terms: this.#terms,
      account: this.#account,
      attempts: this.attempts,
      outcome,
      ended,
      marks: this.#marks,
      ...assessment,
    });
    // A listener or a rule of the user's may have ended the call meanwhile.
    if (this.#end !== undefined) {
      if (decision.retry) this.#account.refund();
      return this.#end ?? undefined;
    }
    if (!decision.retry) return this.#refuse(decision.refusal, outcome, assessment.signals?.wait);
    this.#grant = new Grant(this.#account, decision.delay, outcome);
    return decision;
  }

  /** Said again; or the deadline came while the body of a success was read. */
  #settleLate(outcome: Outcome): Decision | undefined {
    if (this.#end === null && this.#isExpired) return this.#refuse("deadline", outcome);
    return this.#end ?? undefined;
  }

  /** What has ended the attempt, or kept it from being sent, whatever came of it. */
  #refusalBefore({ expired }: Outcome): Refusal | undefined {
    if (this.#denial !== undefined) return this.#denial.refusal;
    return this.#isExpired || expired === true ? "deadline" : undefined;
  }

  #isLate({ expired, tried }: Outcome): boolean {
    return this.#isExpired || (expired === true && tried !== false);
  }

  #assess(outcome: Outcome): Assessment {
    const isAborted = outcome.aborted === true || this.#facts.isAborted?.() === true;
    return assess(outcome, isAborted, this.#parts);
  }

  #finish(end: Decision | null): void {
    this.#end = end;
    this.#inside?.close(end?.refusal === "deadline");
  }

  #succeed(status: number, tried?: false): undefined {
    this.#finish(null);
    // A client may call a failing status a success for its caller; the server earns nothing by it,
    // nor by what a cache has answered.
    const isEarned = status < 400 && tried !== false;
    const earns = this.#parts.settings.depositOn === "success" && !this.#terms.standsDown;
    if (!earns || !isEarned || this.#hasEarned) return;
    this.#hasEarned = true;
    this.#account.deposit();
  }

  #refuse(refusal: Refusal, outcome: Outcome, retryAfter?: number): Decision {
    const account = this.#account;
    const reason = retryAfter === undefined ? { refusal } : { refusal, retryAfter };
    const { origin, balance } = account;
    recordRefusal([outcome.error, outcome.response, this], {
      ...reason,
      origin,
      attempts: this.attempts,
      balance,
    });
    const end: Decision = { retry: false, refusal };
    // Before it is reported: a listener may come back here.
    this.#finish(end);
    account.countRefusal(refusal);
    this.#report("refused", account, reason);
    return end;
  }

  #revoke(refusal: Refusal, outcome: Outcome): Decision {
    this.#giveBack();
    return this.#refuse(refusal, outcome);
  }

  #giveBack(): void {
    const grant = this.#grant;
    if (grant === undefined) return;
    this.#grant = undefined;
    this.#gate?.leave();
    grant.revoke();
  }

  /** Takes the account of where a redirect led; a key that was named stays. */
  #moveTo(url: string | URL, hasAnswered: boolean): boolean {
    if (this.#terms.key !== undefined) return false;
    return this.#switchTo(this.#parts.registry.of(url), hasAnswered);
  }

  /** @param hasAnswered whether the origin before has, by the redirect that leads here */
  #switchTo(account: OriginAccount, hasAnswered: boolean): boolean {
    if (account === this.#account) return false;
    this.#account = account;
    this.#gate?.settle(hasAnswered ? "success" : "aborted", {});
    // It is on its way, whatever the breaker says.
    this.#pass(account);
    return true;
  }

  async #prepare(grant: Grant, headers: unknown): Promise<void> {
    const context = retryContext(this.#facts, grant, this.attempts + 1, headers);
    const { deadline, body } = this.#terms;
    const stopDeadline = deadline.schedule(() => this.#revoke("deadline", grant.outcome));
    const prepared = await grant.during(
      this.within(() => prepareRetry(grant, context, body, this.#parts)),
    );
    stopDeadline();
    if (prepared === false) this.abandon();
  }

  #report(type: "original" | "retry" | "refused", account: OriginAccount, rest: object): void {
    const { client, method } = this.#facts;
    const fields = { client, method, attempt: this.attempts, ...rest };
    this.#parts.reporter.report(type, account, fields as never);
  }
}
