/** What got 11 makes within `retryWithMergedOptions`: only the request around it is retried. */
export class InnerRequest {
  #options: unknown;
  #hasFailed = false;

  begin(options: unknown): void {
    this.#options = options;
    this.#hasFailed = false;
  }

  /** Whether its options are these. */
  has(options: unknown): boolean {
    return this.#options !== undefined && options === this.#options;
  }

  /** Whether only this one fails by now: the outer one does so with the same error, later. */
  fails(options: unknown): boolean {
    if (!this.has(options) || this.#hasFailed) return false;
    this.#hasFailed = true;
    return true;
  }
}
