/** What has become of the calls, counted as their caller sees it. */
export class SoakTally {
  answered = 0;
  failed = 0;
  aborted = 0;
  /** Calls that were begun where every connection is refused, and the attempts handed down. */
  refusedCalls = 0;
  refusedAttempts = 0;
  /** Ends that callers were told of, and those of them that were not the first of a call. */
  ends = 0;
  repeatedEnds = 0;
  /** What no fault explains: errors, warnings, rejections that nobody handles. */
  readonly incidents: Set<string> = new Set();

  get settled(): number {
    return this.answered + this.failed + this.aborted;
  }
}
