/** inside.ts for browsers, where nobody ever asks. */
export class Inside {
  open(): void {
    // Nothing is counted.
  }

  close(): void {
    // Nothing is kept.
  }
}
