/** As the table says it. */
export function attemptsText(count: number): string {
  return count === 1 ? "1 attempt" : `${count} attempts`;
}
