/** Options are plain: a promise, a policy or a budget in their place would silently mean defaults. */
export function isPlain(value: object): boolean {
  // Not by identity: an object of another realm is plain as well.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
