/**
 * Milliseconds since the epoch, or `undefined` for what is no HTTP date. In browsers of the three
 * forms only the one that servers must write (RFC 9110 §5.6.7): it is what `toUTCString` gives.
 */
export function parseHttpDate(text: string): number | undefined {
  const time = Date.parse(text);
  return time > 0 && new Date(time).toUTCString() === text ? time : undefined;
}
