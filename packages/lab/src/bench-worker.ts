import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A process that measures one subject whenever it is asked. */
export class BenchWorker<Answer> {
  readonly #child: ChildProcess;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(
    module: string,
    node: string,
    args: readonly string[],
    execArgv: readonly string[] = [],
  ) {
    const path = fileURLToPath(new URL(module, import.meta.url));
    this.#child = fork(path, args, { execPath: node, execArgv: [...execArgv] });
    this.#child.on("message", (answer) => this.#resolve?.(answer as Answer));
    this.#child.on("error", (error) => this.#reject?.(error));
    this.#child.on("exit", (code) => {
      this.#reject?.(new Error(`${module} ${args.join(" ")} ended with ${code}.`));
    });
  }

  ask(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#child.send("measure", (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
