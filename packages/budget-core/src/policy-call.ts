import { type Assessment, assess, isTried } from "./assess.js";
import { BreakerGate } from "./breaker-gate.js";
import type { Call, CallFacts, Denial } from "./call.js";
import { noDeadline } from "./deadline.js";
import type { Decision } from "./decide.js";
import { type EarlyEnd, earlyEndOf, expired } from "./early-end.js";
import type { FailedCall } from "./failed-call.js";
import { type Inside, insideOf } from "./inside.js";
import { marksFor } from "./marks.js";
import type { OriginAccount } from "./origin-account.js";
import type { Outcome } from "./outcome.js";
import { runInside } from "./outer-call.js";
import type { PolicyParts } from "./policy-parts.js";
import { hasHooks } from "./prepare-retry.js";
import { Retries } from "./retries.js";
import type { Terms } from "./terms.js";
import { warnOfOutcome } from "./warnings.js";

/** The books of one call. */
export class PolicyCall implements Call, FailedCall {
  attempts = 0;
  account: OriginAccount;
  end: Decision | null | undefined;
  readonly #parts: PolicyParts;
  readonly #facts: CallFacts;
  readonly #terms: Terms;
  #retries: Retries | undefined;
  #inFlight = false;
  #hasEarned = false;
  #gate: BreakerGate | undefined;
  #inside: Inside | undefined;
  #marks: Readonly<Record<string, string>> | undefined;
  #early: EarlyEnd | undefined;

  constructor(parts: PolicyParts, facts: CallFacts, terms: Terms, account: OriginAccount) {
    this.#parts = parts;
    this.#facts = facts;
    this.#terms = terms;
    this.account = account;
  }

  get pending(): boolean {
    return this.#retries?.grant !== undefined;
  }

  get needsPreparing(): boolean {
    if (this.hasDeadline || this.account.breaker !== undefined) return true;
    return hasHooks(this.#parts.settings, this.#terms);
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
    return this.#retries?.grant?.body;
  }

  begin(): Denial | undefined {
    const { isTooLate, deadline } = this.#terms;
    if (isTooLate) return this.#deny({ refusal: "deadline", time: deadline.time });
    return this.account.breaker && this.#deny(this.pass(this.account));
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
    if (this.end !== undefined) return this.#settleLate(outcome);
    const pending = this.#retries?.settle(outcome);
    if (pending !== undefined) return pending;
    try {
      return this.#decideOn(outcome);
    } catch (error) {
      // A getter of an error or of headers may throw. The caller still gets what the client gave.
      warnOfOutcome(this.#parts.warn, error);
      this.#retries?.giveBack();
      this.leave();
      return this.#follow().refuse("permanent", outcome);
    }
  }

  succeed(status: number): boolean {
    // Nothing that an outcome could change is open: it was sent, and no retry is granted.
    const isPlain = this.#inFlight && !this.pending && this.end === undefined;
    if (status >= 400 || !isPlain || this.#parts.settings.classify !== undefined) return false;
    this.#inFlight = false;
    this.#gate?.settle("success", {});
    this.#succeed(status);
    return true;
  }

  onDeadline(listener: (time: number) => void): () => void {
    const { deadline } = this.#terms;
    return deadline.schedule(() => {
      this.#early ??= expired;
      listener(deadline.time);
    });
  }

  sleep(): Promise<void> {
    return this.#retries?.grant?.sleep(this.#parts.settings.clock) ?? Promise.resolve();
  }

  prepare(headers?: unknown): Promise<boolean> {
    return this.#retries?.prepare(headers) ?? Promise.resolve(false);
  }

  abandon(): void {
    this.#retries?.revoke("aborted");
  }

  pass({ breaker }: OriginAccount): Denial | undefined {
    if (breaker === undefined) return undefined;
    this.#gate ??= new BreakerGate(this.#parts.warn);
    return this.#gate.pass(breaker);
  }

  leave(): void {
    this.#gate?.leave();
  }

  finish(end: Decision | null): void {
    this.end = end;
    this.#inside?.close(end?.refusal === "deadline");
  }

  #deny(denial: Denial | undefined): Denial | undefined {
    if (denial !== undefined) this.#early = { refusal: denial.refusal, isLate: false };
    return denial;
  }

  #send(url: string | URL | undefined, hasAnswered: boolean): void {
    // After a success the caller may go on by itself, with a fresh token for instance.
    if (this.end) return;
    this.end = undefined;
    this.#inside?.open(this);
    const moved = url !== undefined && this.#moveTo(url, hasAnswered && this.#inFlight);
    if (!this.#inFlight) this.#start();
    else if (moved && this.attempts === 1) this.#countOriginal();
  }

  #start(): void {
    this.#inFlight = true;
    if (++this.attempts === 1) this.#countOriginal();
    this.#retries?.spend();
  }

  #countOriginal(): void {
    // The layer that retries has counted it.
    if (this.#terms.standsDown) return;
    const { settings, reporter } = this.#parts;
    this.account.originals++;
    if (settings.depositOn === "request") this.account.deposit();
    if (!reporter.hears("original")) return;
    const { client, method } = this.#facts;
    reporter.report("original", this.account, { client, method, attempt: 1 });
  }

  #decideOn(outcome: Outcome): Decision | undefined {
    const early = this.#early ?? earlyEndOf(outcome);
    const assessment: Assessment = early
      ? { kind: "transient" }
      : assess(outcome, this.#facts, this.#parts);
    const { kind } = assessment;
    // A refused connection is an attempt; what failed before it could be tried is none.
    if (early?.isLate !== false && isTried(kind, outcome)) {
      // Not where it went: a proxy that could not be reached.
      this.#send(outcome.url, outcome.sent !== false);
    }
    this.#inFlight = false;
    this.#retries?.giveBack();
    this.#gate?.settle(kind, outcome, early?.isLate);
    if (kind === "success") return this.#succeed(outcome.status ?? 0, outcome.tried);
    const ended = early?.refusal;
    return this.#follow().decide({ outcome, ended, marks: this.#marks, ...assessment });
  }

  #follow(): Retries {
    this.#retries ??= new Retries(this, this.#facts, this.#terms, this.#parts);
    return this.#retries;
  }

  /** Said again; or the deadline came while the body of a success was read. */
  #settleLate(outcome: Outcome): Decision | undefined {
    const isLate = this.end === null && this.#early?.isLate === true;
    return isLate ? this.#follow().refuse("deadline", outcome) : (this.end ?? undefined);
  }

  #succeed(status: number, tried?: false): undefined {
    this.finish(null);
    if (this.#parts.settings.depositOn === "success") this.#earn(status, tried);
  }

  #earn(status: number, tried: false | undefined): void {
    // A client may call a failing status a success for its caller; the server earns nothing by it,
    // nor by what a cache has answered.
    const isEarned = status < 400 && tried !== false;
    if (!isEarned || this.#hasEarned || this.#terms.standsDown) return;
    this.#hasEarned = true;
    this.account.deposit();
  }

  /** Takes the account of where a redirect led; a key that was named stays. */
  #moveTo(url: string | URL, hasAnswered: boolean): boolean {
    if (this.#terms.key !== undefined) return false;
    return this.#switchTo(this.#parts.registry.of(url), hasAnswered);
  }

  /** @param hasAnswered whether the origin before has, by the redirect that leads here */
  #switchTo(account: OriginAccount, hasAnswered: boolean): boolean {
    if (account === this.account) return false;
    this.account = account;
    this.#gate?.settle(hasAnswered ? "success" : "aborted", {});
    // It is on its way, whatever the breaker says.
    this.pass(account);
    return true;
  }
}
