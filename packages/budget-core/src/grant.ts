import type { Clock } from "./clock.js";
import { destroyBody } from "./destroy-body.js";
import type { OriginAccount } from "./origin-account.js";
import type { Outcome } from "./outcome.js";

/** A retry that may be sent: a token that is spent unless it is given back. */
export class Grant {
  readonly account: OriginAccount;
  readonly delay: number;
  /** The failure that is retried. */
  readonly outcome: Outcome;
  /** Made for this retry, where the request makes bodies. */
  body: unknown;
  /** Sent or given back. */
  isOver = false;
  #wake: (() => void) | undefined;

  constructor(account: OriginAccount, delay: number, outcome: Outcome) {
    this.account = account;
    this.delay = delay;
    this.outcome = outcome;
  }

  revoke(): void {
    this.isOver = true;
    this.account.refund();
    destroyBody(this.body);
    this.#wake?.();
  }

  /** Ends after the delay, or at once when the grant is revoked; then no timer is left. */
  sleep(clock: Clock): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.schedule(resolve, this.delay);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends with the work, or at once when the grant is revoked. */
  during<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const revoked = new Promise<undefined>((resolve) => {
      this.#wake = () => resolve(undefined);
      // The work may have done that itself, before it gave back control.
      if (this.isOver) resolve(undefined);
    });
    return Promise.race([work, revoked]);
  }
}
