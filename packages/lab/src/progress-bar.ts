import { SingleBar } from "cli-progress";

/** On stderr, so that stdout is data. @param every ms between its lines where there is no terminal */
export function progressBar(format: string, every: number): SingleBar {
  return new SingleBar({
    format,
    stream: process.stderr,
    noTTYOutput: true,
    notTTYSchedule: every,
    hideCursor: true,
  });
}
