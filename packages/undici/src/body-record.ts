type Iterated = Iterator<unknown> | AsyncIterator<unknown>;
type Result = IteratorResult<unknown>;

/** What undici sends piece by piece. */
export interface OneShotBody {
  readonly [Symbol.asyncIterator]?: () => AsyncIterator<unknown>;
  readonly [Symbol.iterator]?: () => Iterator<unknown>;
}

/** A place in the body, as a link: what all readers have passed is nobody's any more. */
class Piece {
  /** Settled when a reader has asked the source for it. */
  readonly result: Promise<Result>;
  #next: Piece | undefined;
  #isAsked = false;
  #ask: (result: Promise<Result>) => void = () => undefined;

  constructor() {
    this.result = new Promise((resolve) => {
      this.#ask = resolve;
    });
    // Nobody may be left to hear of it.
    this.result.catch(() => undefined);
  }

  get next(): Piece {
    this.#next ??= new Piece();
    return this.#next;
  }

  askBy(pull: () => Promise<Result>): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#ask(pull());
  }
}

/** Small pieces count for what keeping them takes. */
const leastSize = 128;

/**
 * A body that can be read once, such as the generator that `fetch` makes of whatever it is given:
 * what was read of it is kept, up to a limit, so that another attempt can send it from the start.
 */
export class BodyRecord {
  readonly #body: OneShotBody;
  readonly #limit: number;
  #source: Iterated | undefined;
  /** Where the body begins, as long as all of it is kept. */
  #first: Piece | undefined = new Piece();
  #size = 0;
  #isReadOut = false;
  #isReleased = false;
  #readers = 0;
  /** The reader of the attempt that lives: it alone asks the source. */
  #leader: object | undefined;
  /** Where readers of earlier attempts wait for what the leader gets. */
  #awaited: Piece | undefined;

  constructor(body: OneShotBody, limit: number) {
    this.#body = body;
    this.#limit = limit;
  }

  /** Whether all that was read can be sent again. */
  get isKept(): boolean {
    return this.#first !== undefined;
  }

  /** The body for one more attempt. */
  read(): AsyncIterable<unknown> {
    const reader = {};
    this.#leader = reader;
    let piece = this.#first ?? new Piece();
    let isDone = false;
    const finish = (): void => {
      if (!isDone) this.#readers--;
      isDone = true;
      if (this.#isReleased) this.#closeUnread();
    };
    const iterator: AsyncIterator<unknown> = {
      next: async () => {
        if (isDone) return { done: true, value: undefined };
        const { result } = piece;
        this.#askFor(piece, reader);
        piece = piece.next;
        const { done } = await result.catch((error: unknown) => {
          finish();
          throw error;
        });
        if (done === true) finish();
        return result;
      },
      // undici closes what it reads when an attempt fails; the next one still needs the source.
      return: async (value) => {
        finish();
        return { done: true, value };
      },
    };
    return {
      [Symbol.asyncIterator]: () => {
        this.#readers++;
        return iterator;
      },
    };
  }

  /**
   * Another attempt is to come. The one before may still upload, over HTTP/2 even to the end of it:
   * its reader goes on with what the next one gets, so that it neither ends too early nor reads
   * beyond the limit meanwhile.
   */
  supersede(): void {
    this.#leader = undefined;
  }

  /** No further attempt will be made: keeps nothing but what readers have still to take. */
  forget(): void {
    this.#first = undefined;
  }

  /** The request is over. The source ends no worse than without a record: closed, if unread. */
  release(): void {
    this.forget();
    this.#isReleased = true;
    this.#awaited?.askBy(() => this.#pull());
    this.#closeUnread();
  }

  #askFor(piece: Piece, reader: object): void {
    if (reader === this.#leader || this.#isReleased) piece.askBy(() => this.#pull());
    else this.#awaited = piece;
  }

  async #pull(): Promise<Result> {
    try {
      this.#source ??= iteratorOf(this.#body);
      const { done, value: promised } = await this.#source.next();
      if (done !== true) {
        // A synchronous iterable may give promises, as `for await` allows.
        return { done: false, value: this.#keep(await promised) };
      }
    } catch (error) {
      // The body itself has failed: no attempt can send it.
      this.forget();
      this.#isReadOut = true;
      throw error;
    }
    this.#isReadOut = true;
    return { done: true, value: undefined };
  }

  #keep(value: unknown): unknown {
    if (!this.isKept) return value;
    this.#size += Math.max(leastSize, sizeOf(value));
    if (this.#size > this.#limit) this.forget();
    // A source may use one buffer again and again.
    else if (ArrayBuffer.isView(value)) return copyOf(value);
    return value;
  }

  #closeUnread(): void {
    const source = this.#source;
    // An upload may go on after its response.
    if (this.#readers > 0 || this.#isReadOut || source === undefined) return;
    this.#isReadOut = true;
    Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function iteratorOf(body: OneShotBody): Iterated {
  const iterator = body[Symbol.asyncIterator]?.() ?? body[Symbol.iterator]?.();
  if (iterator === undefined) throw new TypeError("The body is not iterable any more");
  return iterator;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return ArrayBuffer.isView(value) ? value.byteLength : 0;
}

function copyOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength));
}
