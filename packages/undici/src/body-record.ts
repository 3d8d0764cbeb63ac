type Iterated = Iterator<unknown> | AsyncIterator<unknown>;

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
  #pieces: Promise<IteratorResult<unknown>>[] | undefined = [];
  #size = 0;
  #isReadOut = false;
  #isReleased = false;
  /** The reader of the attempt that lives; those before it are at their end. */
  #reader: object | undefined;

  constructor(body: OneShotBody, limit: number) {
    this.#body = body;
    this.#limit = limit;
  }

  get isComplete(): boolean {
    return this.#pieces !== undefined;
  }

  /** The body for one more attempt. */
  read(): AsyncIterable<unknown> {
    const reader = {};
    this.#reader = reader;
    let index = 0;
    const iterator: AsyncIterator<unknown> = {
      next: async () => {
        if (this.#reader !== reader) return { done: true, value: undefined };
        return this.#piece(index++);
      },
      // undici closes what it reads when an attempt fails; the next one still needs the source.
      return: async (value) => {
        if (this.#reader === reader) this.#reader = undefined;
        if (this.#isReleased) this.#close();
        return { done: true, value };
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  /** No further attempt will be made: keeps nothing more. */
  forget(): void {
    this.#pieces = undefined;
  }

  /** The request is over. The source ends no worse than without a record: closed, if unread. */
  release(): void {
    this.forget();
    this.#isReleased = true;
    if (this.#reader === undefined) this.#close();
  }

  #piece(index: number): Promise<IteratorResult<unknown>> {
    const known = this.#pieces?.[index];
    if (known !== undefined) return known;
    const piece = this.#pull();
    // Nobody may be left to hear of it.
    piece.catch(() => undefined);
    this.#pieces?.push(piece);
    return piece;
  }

  async #pull(): Promise<IteratorResult<unknown>> {
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
    if (this.#pieces === undefined) return value;
    this.#size += sizeOf(value);
    if (this.#size > this.#limit) {
      this.forget();
      return value;
    }
    // A source may use one buffer again and again.
    return value instanceof Uint8Array ? Buffer.from(value) : value;
  }

  #close(): void {
    const source = this.#source;
    this.#source = undefined;
    if (this.#isReadOut || source === undefined) return;
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
