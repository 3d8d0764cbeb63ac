import { AskedProcess } from "./asked-process.js";
import type { Answer, Question } from "./storm-server.js";

/** The storm's server: a port for each run. */
export class StormServerProcess {
  readonly #process = new AskedProcess<Question, Answer>(
    new URL("./storm-server.js", import.meta.url),
  );

  /** A port of its own for a run; it answers 200 until it is told to fail. */
  async open(): Promise<number> {
    return (await this.#process.ask({ ask: "open" })).port;
  }

  fail(port: number): Promise<Answer> {
    return this.#process.ask({ ask: "fail", port });
  }

  count(port: number): Promise<Answer> {
    return this.#process.ask({ ask: "count", port });
  }

  close(port: number): Promise<Answer> {
    return this.#process.ask({ ask: "close", port });
  }

  stop(): void {
    this.#process.stop();
  }
}
