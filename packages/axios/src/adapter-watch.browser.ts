/** adapter-watch.ts for browsers, which have no process to warn. */
export class AdapterWatch {
  note(): void {
    // Nothing is compared.
  }

  check(): void {
    // Nothing is said.
  }
}
