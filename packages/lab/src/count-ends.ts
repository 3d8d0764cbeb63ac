import type { Dispatcher } from "undici";
import type { SoakTally } from "./soak-tally.js";

type Handler = Dispatcher.DispatchHandler;

/** An interceptor for the outside of all others: what it sees is what the caller is told. */
export function countEnds(tally: SoakTally): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new EndCounter(handler, tally));
}

class EndCounter implements Handler {
  readonly #handler: Handler;
  readonly #tally: SoakTally;
  #hasEnded = false;

  constructor(handler: Handler, tally: SoakTally) {
    this.#handler = handler;
    this.#tally = tally;
  }

  onRequestStart(...event: Parameters<NonNullable<Handler["onRequestStart"]>>): void {
    this.#handler.onRequestStart?.(...event);
  }

  onResponseStart(...event: Parameters<NonNullable<Handler["onResponseStart"]>>): void {
    this.#handler.onResponseStart?.(...event);
  }

  onResponseData(...event: Parameters<NonNullable<Handler["onResponseData"]>>): void {
    this.#handler.onResponseData?.(...event);
  }

  onResponseEnd(...event: Parameters<NonNullable<Handler["onResponseEnd"]>>): void {
    this.#count();
    this.#handler.onResponseEnd?.(...event);
  }

  onResponseError(...event: Parameters<NonNullable<Handler["onResponseError"]>>): void {
    this.#count();
    this.#handler.onResponseError?.(...event);
  }

  #count(): void {
    if (this.#hasEnded) this.#tally.repeatedEnds++;
    else this.#tally.ends++;
    this.#hasEnded = true;
  }
}
