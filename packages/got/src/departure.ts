import type { Call } from "@retry-budget/core";
import { AttemptMarks } from "./attempt-marks.js";
import { AttemptTime } from "./attempt-time.js";
import type { CurrentOptions } from "./got-facts.js";
import { unsentRequest } from "./unsent-request.js";

/** The last moment before got sends an attempt: whether it may, in which time, with which marks. */
export class Departure {
  readonly #call: Call;
  readonly #time: AttemptTime;
  readonly #marks: AttemptMarks;
  #hasBegun = false;

  constructor(call: Call) {
    this.#call = call;
    this.#time = new AttemptTime(call);
    this.#marks = new AttemptMarks(call);
  }

  /** What got is to take for its request, where the attempt must not be sent. */
  leave(options: CurrentOptions): unknown {
    const denial = this.#hasBegun ? undefined : this.#call.begin();
    this.#hasBegun = true;
    if (denial?.refusal === "breaker") return unsentRequest(denial.error);
    if (denial !== undefined) this.#time.end(options);
    else if (!this.#call.hasDeadline || this.#time.limit(options)) {
      this.#marks.put(options);
      return undefined;
    }
    return unsentRequest();
  }

  /** got has copied the headers by now. */
  takeOffMarks({ headers }: CurrentOptions): void {
    this.#marks.takeOff(headers);
  }

  /** The attempt is over: what was set for it goes. */
  restore(options: CurrentOptions): void {
    this.#marks.takeOff(options.headers);
    this.#time.restore(options);
  }

  isExpired(error: unknown): boolean {
    return this.#time.hasEnded(error);
  }
}
