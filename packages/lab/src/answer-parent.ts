import { inspect } from "node:util";
import type { Numbered } from "./asked-process.js";

/** In an `AskedProcess`: answers its parent's questions, and ends when the parent does. */
export function answerParent<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
): void {
  process.on("message", async ({ id, content }: Numbered<Question>) => {
    try {
      process.send?.({ id, content: await answer(content) });
    } catch (error) {
      // The parent is told by the exit.
      process.stderr.write(`${inspect(error)}\n`);
      process.exit(1);
    }
  });
  process.on("disconnect", () => process.exit());
}
