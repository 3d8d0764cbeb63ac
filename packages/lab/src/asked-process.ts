import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What goes through the channel: each answer has the number of its question. */
export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}

/** A server in its own process, so that it counts what really arrives. */
export class AskedProcess<Question, Answer> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  /** @param module one that calls `answerParent` */
  constructor(module: URL) {
    this.#child = fork(fileURLToPath(module));
    this.#child.on("message", ({ id, content }: Numbered<Answer>) => {
      this.#waiting.get(id)?.(content);
      this.#waiting.delete(id);
    });
  }

  ask(content: Question): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      const question: Numbered<Question> = { id, content };
      this.#child.send(question, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  stop(): void {
    this.#child.disconnect();
  }
}
