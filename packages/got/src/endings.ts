import type { Response } from "got";
import type { Emitter } from "./emitter.js";
import { outcomeOfResponse } from "./got-outcome.js";
import type { NetworkRequest, Sending } from "./sending.js";

/** The ends of a request that none of got's hooks tells. */
export class Endings {
  readonly #sending: Sending;
  #unheard: Response | undefined;

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  /**
   * @param isLast whether no retry goes on in a stream of its own
   * @param onEnd of a stream that was read
   */
  hearStream(stream: Emitter, isLast: () => boolean, onEnd: () => void): void {
    // The stream of got 11 has no `response`: its event is all there is.
    let response: Response | undefined;
    stream.on("response", (given: Response) => {
      response = given;
      this.#sending.prove();
    });
    // Before any listener of the caller's, who may ask then why it was not retried.
    stream.on("end", () => {
      onEnd();
      if (response === undefined || this.#sending.succeed(response.statusCode)) return;
      this.#sending.tell({ ...outcomeOfResponse(response), final: true });
    });
    stream.on("close", () => {
      if (isLast()) this.#sending.quit();
    });
  }

  /** got shows it to no hook, nor does it end the promise that `cancel()` has ended. */
  hearAbort(request: NetworkRequest, emitter: Emitter, signal: AbortSignal | undefined): void {
    const canAbort = signal !== undefined || emitter.isCanceled !== undefined;
    if (!canAbort || request.once === undefined) return;
    const quit = (): void => this.#sending.quit();
    signal?.addEventListener("abort", quit);
    request.once("close", () => {
      signal?.removeEventListener("abort", quit);
      if (emitter.isCanceled === true) quit();
    });
  }

  /** From got 15 on a failure that is the caller's by `throwHttpErrors: false` comes to no other hook. */
  hearLast(response: Response): void {
    this.#unheard = response;
    response.request.once("close", () => {
      if (this.#unheard !== response) return;
      this.#sending.tell({ ...outcomeOfResponse(response), final: true });
    });
  }

  /** Another hook has told of it. */
  heard(): void {
    this.#unheard = undefined;
  }
}
