/** A browser has no AsyncLocalStorage. */
export function outerCall(): undefined {}

export function runInside<Result>(_outer: object, work: () => Result): Result {
  return work();
}

const nothing: { readonly left: number; readonly isRetried: boolean } = {
  left: Number.POSITIVE_INFINITY,
  isRetried: false,
};

export const readOuter = (): typeof nothing => nothing;
