/** What the second list has more often than the first, an entry for each. */
export function surplus(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before];
  return after.filter((entry) => {
    const place = left.indexOf(entry);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}
