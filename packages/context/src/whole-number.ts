/** The largest that nine digits hold: no mark needs more, and a longer text is no mark. */
const most = 999_999_999;

/** Rounded down: what is left of a deadline must not grow on its way. */
export function writeWholeNumber(value: number): string {
  return String(Math.min(Math.max(Math.floor(value), 0), most));
}

/** Digits and nothing else. `Number()` would take "", "0x10" and "1e9" as well. */
export function readWholeNumber(text = ""): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
