/** A browser has no AsyncLocalStorage. */
export function outerCall(): undefined {}

export function runInside<Result>(_outer: object, work: () => Result): Result {
  return work();
}
