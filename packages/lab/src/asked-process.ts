import { type ChildProcess, fork } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** What goes through the channel: each answer has the number of its question. */
export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}

export interface AskedProcessOptions {
  /** The binary. @default the running one */
  readonly node?: string;
  readonly args?: readonly string[];
  readonly execArgv?: readonly string[];
}

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A module in a process of its own: a server that counts what really arrives, or one that measures. */
export class AskedProcess<Question, Answer> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #lastId = 0;
  #end: Error | undefined;

  /** @param module one that calls `answerParent` */
  constructor(
    module: URL,
    { node = process.execPath, args = [], execArgv = [] }: AskedProcessOptions = {},
  ) {
    const path = fileURLToPath(module);
    const name = [basename(path), ...args].join(" ");
    this.#child = fork(path, args, { execPath: node, execArgv: [...execArgv] });
    this.#child.on("message", ({ id, content }: Numbered<Answer>) => {
      this.#waiting.get(id)?.resolve(content);
      this.#waiting.delete(id);
    });
    this.#child.on("error", (error) => this.#rejectAll(error));
    this.#child.on("exit", (code, signal) => {
      this.#rejectAll(new Error(`${name} ended with ${code ?? signal}.`));
    });
  }

  /** Rejects where the process ends without an answer, or has ended. */
  ask(content: Question): Promise<Answer> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const question: Numbered<Question> = { id, content };
      this.#child.send(question, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #rejectAll(error: Error): void {
    this.#end = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
