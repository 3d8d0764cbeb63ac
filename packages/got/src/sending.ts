import type { Call, Decision, Outcome } from "@retry-budget/core";
import type { GotFacts } from "./got-facts.js";
import { type Ending, GrantedRetry } from "./granted-retry.js";

export interface NetworkRequest {
  once?(event: "finish" | "close", listener: () => void): unknown;
}

/**
 * What of one request goes out. got makes a network request and may yet wait for a socket, or never
 * write to it: the call is told of it when it was written, or when an outcome shows that it was.
 */
export class Sending {
  granted: GrantedRetry | undefined;
  /** Whether what got takes for its request never goes out. */
  isHeld = false;
  readonly #call: Call;
  readonly #facts: GotFacts;
  /** What nothing shows yet to have been sent. */
  #unproven: { readonly url: string | URL | undefined } | undefined;

  constructor(call: Call, facts: GotFacts) {
    this.#call = call;
    this.#facts = facts;
  }

  /**
   * got makes a network request.
   * @param retryCount of a stream: its caller may make each retry a stream of its own
   */
  begin(request?: NetworkRequest, retryCount = 0): void {
    // What there was before has been answered, by a redirect.
    this.prove();
    if (this.isHeld) return;
    if (retryCount > 0) this.#call.continue(retryCount);
    const sent = { url: this.#facts.current.url };
    this.#unproven = sent;
    // An answer may come earlier, and then a retry may be under way by now.
    request?.once?.("finish", () => {
      if (this.#unproven === sent) this.prove();
    });
  }

  /** @param request what its end gives the token back */
  grant(request: Ending | undefined): GrantedRetry {
    const { body, signal } = this.#facts.current;
    this.granted = new GrantedRetry(this.#call, body, request, signal);
    return this.granted;
  }

  /** What got has made last was sent. */
  prove(): void {
    if (this.#unproven !== undefined) this.sent(this.#unproven.url);
  }

  sent(url?: string | URL): void {
    this.#unproven = undefined;
    this.granted?.end();
    this.#call.sent(url);
  }

  /** It was not sent: a cache has answered, or the caller has ended it. */
  disprove(): void {
    this.#unproven = undefined;
  }

  /** Its caller has ended it. */
  quit(): void {
    this.granted?.abandon();
    this.disprove();
    this.#call.settle({ aborted: true });
  }

  /** Whether the short way was enough. */
  succeed(status: number): boolean {
    return this.granted?.isUnderWay !== true && this.#call.succeed(status);
  }

  tell(outcome: Outcome): Decision | undefined {
    const isMade = this.#unproven !== undefined;
    if (this.granted?.isUnderWay === true) {
      if (!isMade) return this.#tellUnsent(this.granted, outcome);
      // In doubt a retry was sent.
      this.prove();
    }
    this.#unproven = undefined;
    const isUntried = this.isHeld || (!isMade && this.#call.attempts === 0);
    const { url } = this.#facts.current;
    return this.#call.settle({ ...outcome, ...(isUntried ? { tried: false } : { url }) });
  }

  /** A cache has answered, or a hook, or a hook threw: the token of the retry goes back. */
  #tellUnsent(granted: GrantedRetry, outcome: Outcome): Decision | undefined {
    granted.end();
    return this.#call.settle({ ...outcome, sent: false, tried: false });
  }
}
