/** Anything as text. A thrown value can be one whose conversion throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "something that has no text";
  }
}
