const mark: unique symbol = Symbol.for("retry-budget.got-hook-inside.v1");

type AnyHook = ((...args: never[]) => unknown) & { [mark]?: AnyHook };

/** A hook of the user's, made to run inside: the calls in it know that got sends it again. */
export function hookInside<Hook extends AnyHook>(
  hook: Hook,
  within: <Result>(work: () => Result) => Result,
): Hook {
  const inside: AnyHook = (...args) => within(() => hook(...args));
  inside[mark] = hook;
  return inside as Hook;
}

/** As the user gave it. */
export function hookItself<Hook extends AnyHook>(hook: Hook): Hook {
  return (hook[mark] as Hook | undefined) ?? hook;
}
