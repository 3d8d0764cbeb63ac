type Iterated = Iterator<unknown> | AsyncIterator<unknown>;
type Piece = Promise<IteratorResult<unknown>>;

/** What undici sends piece by piece. */
export interface OneShotBody {
  readonly [Symbol.asyncIterator]?: () => AsyncIterator<unknown>;
  readonly [Symbol.iterator]?: () => Iterator<unknown>;
}

/**
 * A body that can be read once, such as the generator that `fetch` makes of whatever it is given:
 * what was read of it is kept, up to a limit, so that another attempt can send it from the start.
 */
export class BodyRecord {
  readonly #body: OneShotBody;
  readonly #limit: number;
  #source: Iterated | undefined;
  /** One entry for each piece asked for: an attempt may fail while a piece is on its way. */
  readonly #pieces: Piece[] = [];
  /** How many of them the reader has taken. */
  #position = 0;
  #isKept = true;
  #size = 0;
  #isReadOut = false;
  #isReleased = false;
  /** The reader of the attempt that lives, once it reads; those before it are at their end. */
  #reader: object | undefined;

  constructor(body: OneShotBody, limit: number) {
    this.#body = body;
    this.#limit = limit;
  }

  /** Whether all that was read can be sent again. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** The body for one more attempt. */
  read(): AsyncIterable<unknown> {
    const reader = {};
    this.#reader = undefined;
    this.#position = 0;
    const iterator: AsyncIterator<unknown> = {
      next: async () => {
        if (this.#reader !== reader) return { done: true, value: undefined };
        return this.#piece();
      },
      // undici closes what it reads when an attempt fails; the next one still needs the source.
      return: async (value) => {
        if (this.#reader === reader) this.#reader = undefined;
        if (this.#isReleased) this.#closeUnread();
        return { done: true, value };
      },
    };
    return {
      [Symbol.asyncIterator]: () => {
        this.#reader = reader;
        return iterator;
      },
    };
  }

  /** No further attempt will be made. What the reader has still to send stays until it has. */
  forget(): void {
    if (this.#isKept) this.#pieces.splice(0, this.#position);
    this.#isKept = false;
  }

  /** The request is over. The source ends no worse than without a record: closed, if unread. */
  release(): void {
    this.forget();
    this.#isReleased = true;
    this.#closeUnread();
  }

  #piece(): Piece {
    const known = this.#isKept ? this.#pieces[this.#position++] : this.#pieces.shift();
    if (known !== undefined) return known;
    const piece = this.#pull();
    // Nobody may be left to hear of it.
    piece.catch(() => undefined);
    if (this.#isKept) this.#pieces.push(piece);
    return piece;
  }

  async #pull(): Piece {
    this.#source ??= iteratorOf(this.#body);
    const { done, value: promised } = await this.#source.next();
    if (done === true) {
      this.#isReadOut = true;
      return { done, value: undefined };
    }
    // A synchronous iterable may give promises, as `for await` allows.
    const value: unknown = await promised;
    return { done: false, value: this.#keep(value) };
  }

  #keep(value: unknown): unknown {
    if (!this.#isKept) return value;
    this.#size += sizeOf(value);
    if (this.#size > this.#limit) {
      this.forget();
      return value;
    }
    // A source may use one buffer again and again.
    return value instanceof Uint8Array ? Buffer.from(value) : value;
  }

  #closeUnread(): void {
    const source = this.#source;
    // An upload may go on after its response.
    if (this.#reader !== undefined || this.#isReadOut || source === undefined) return;
    this.#source = undefined;
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
