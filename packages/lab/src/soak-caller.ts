import { setMaxListeners } from "node:events";
import type { SoakAnswer, SoakClient } from "./soak-clients.js";
import type { Abort, SoakCall } from "./soak-plan.js";
import type { SoakTally } from "./soak-tally.js";

/** Makes calls as an application does, with one signal for all that it does not abort itself. */
export class SoakCaller {
  /** Never aborted. */
  readonly signal: AbortSignal = new AbortController().signal;
  readonly #client: SoakClient;
  readonly #tally: SoakTally;

  constructor(client: SoakClient, tally: SoakTally) {
    this.#client = client;
    this.#tally = tally;
    // Not 0 for any number: Node's getMaxListeners, which undici's fetch asks, throws for that.
    setMaxListeners(Number.MAX_SAFE_INTEGER, this.signal);
  }

  /** Ends when the call is settled; never rejects. */
  async make(call: SoakCall): Promise<void> {
    if (call.isRefused) this.#tally.refusedCalls++;
    const controller = call.abort && new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const abort = (moment: Abort["moment"]): void => {
      if (call.abort?.moment !== moment) return;
      if (moment === "head" || moment === "body") controller?.abort();
      else timer ??= setTimeout(() => controller?.abort(), call.abort.wait);
    };
    const signal = controller?.signal ?? this.signal;
    try {
      const answer = await this.#client.send(call, signal, abort);
      this.#answered(answer, signal);
    } catch (error) {
      this.#failed(error, signal);
    }
    clearTimeout(timer);
  }

  #answered({ status, refusal }: SoakAnswer, { aborted }: AbortSignal): void {
    const { incidents } = this.#tally;
    this.#tally.answered++;
    if (aborted) incidents.add("a call was answered after its abort");
    if (status === 503 && refusal === undefined) incidents.add("a 503 without a refusal");
    if (status !== 200 && status !== 503) incidents.add(`status ${status}`);
  }

  #failed(error: unknown, { aborted }: AbortSignal): void {
    if (aborted && this.#client.isAbort(error)) {
      this.#tally.aborted++;
      return;
    }
    this.#tally.failed++;
    if (!this.#client.isExpected(error)) this.#tally.incidents.add(String(error));
  }
}
