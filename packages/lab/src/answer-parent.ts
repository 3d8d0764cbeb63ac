import type { Numbered } from "./asked-process.js";

/** In an `AskedProcess`: answers its parent's questions, and ends when the parent does. */
export function answerParent<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): void {
  process.on("message", ({ id, content }: Numbered<Question>) => {
    void answer(content).then((reply) => process.send?.({ id, content: reply }));
  });
  process.on("disconnect", () => process.exit());
}
