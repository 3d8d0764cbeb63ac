import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answer, Question } from "./storm-server.js";

type Ask = Question extends infer Kind ? (Kind extends Question ? Omit<Kind, "id"> : never) : never;

/** The server in its own process, so that it counts what really arrives. */
export class StormServerProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor() {
    this.#child = fork(fileURLToPath(new URL("./storm-server.js", import.meta.url)));
    this.#child.on("message", (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** A port of its own for a run; it answers 200 until it is told to fail. */
  async open(): Promise<number> {
    return (await this.#ask({ ask: "open" })).port;
  }

  fail(port: number): Promise<Answer> {
    return this.#ask({ ask: "fail", port });
  }

  count(port: number): Promise<Answer> {
    return this.#ask({ ask: "count", port });
  }

  close(port: number): Promise<Answer> {
    return this.#ask({ ask: "close", port });
  }

  stop(): void {
    this.#child.disconnect();
  }

  #ask(question: Ask): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ ...question, id }, (error) => {
        if (error !== null) reject(error);
      });
    });
  }
}
