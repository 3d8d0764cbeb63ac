import { refusalOf } from "@retry-budget/core";
import { type CancelableRequest, HTTPError, type PlainResponse, type Request } from "got";
import type { SoakAnswer, SoakClient } from "./soak-clients.js";
import { smallText } from "./soak-got-body.js";
import type { PromiseFlavour, StreamFlavour } from "./soak-got-flavours.js";
import type { SoakTally } from "./soak-tally.js";

type Abort = Parameters<SoakClient["send"]>[2];

/** One call by got, from what got gave for it to what its caller is told. */
export class SoakGotCall {
  readonly #abort: Abort;
  readonly #tally: SoakTally;
  #hasEnded = false;

  constructor(abort: Abort, tally: SoakTally) {
    this.#abort = abort;
    this.#tally = tally;
  }

  async settle(
    promise: CancelableRequest<unknown>,
    { shortcut }: PromiseFlavour,
  ): Promise<SoakAnswer> {
    // The first time before the body, then with its parts.
    promise.on("downloadProgress", ({ transferred }) =>
      this.#abort(transferred === 0 ? "head" : "body"),
    );
    try {
      const result = await (shortcut === undefined ? promise : promise[shortcut]());
      return answerOf(result);
    } catch (error) {
      return answerOfError(error);
    } finally {
      this.#countEnd();
    }
  }

  /** Ends when the stream was read to its end, or the one that got makes for the last retry. */
  read(first: Request, { isRetried }: StreamFlavour): Promise<SoakAnswer> {
    return new Promise((resolve, reject) => {
      const read = (stream: Request): void => {
        stream.on("response", () => this.#abort("head"));
        stream.on("data", () => this.#abort("body"));
        stream.on("end", () => {
          this.#countEnd();
          // got leaves that to its caller, and until then its listener is on the signal.
          stream.destroy();
          resolve(answerOf(stream.response));
        });
        stream.on("error", (error) => {
          this.#countEnd();
          answerOfError(error).then(resolve, reject);
        });
        if (isRetried) stream.once("retry", (_count, _error, again) => read(again()));
        if (isWritten(stream)) stream.end(smallText);
      };
      read(first);
    });
  }

  #countEnd(): void {
    if (this.#hasEnded) this.#tally.repeatedEnds++;
    else this.#tally.ends++;
    this.#hasEnded = true;
  }
}

function isWritten({ options: { method, body, json, form } }: Request): boolean {
  return method !== "GET" && body === undefined && json === undefined && form === undefined;
}

/** A shortcut gives the body alone. */
function answerOf(result: unknown): SoakAnswer {
  const { statusCode = 200 }: Partial<PlainResponse> = Object(result);
  return { status: statusCode, refusal: refusalOf(result)?.refusal };
}

/** For got a 503 is an error, unless it was told otherwise. */
async function answerOfError(error: unknown): Promise<SoakAnswer> {
  if (!(error instanceof HTTPError)) throw error;
  return { status: error.response.statusCode, refusal: refusalOf(error)?.refusal };
}
