import { spawn } from "node:child_process";
import { repository } from "./repository.js";

export interface ProcessEnd {
  readonly code: number | null;
  readonly isLate: boolean;
  readonly output: string;
}

/** Runs a command in the root of the repository, and ends it when its time is over. */
export function runProcess(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  longest: number,
): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    // A group of its own: a test that never yields would outlive the vitest that is killed.
    const child = spawn(file, args, {
      cwd: repository,
      env: { ...process.env, ...env },
      detached: true,
    });
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const interrupt = (): never => {
      kill();
      process.exit(130);
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, longest);
    process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
    let output = "";
    const collect = (chunk: Buffer): void => {
      output = (output + chunk).slice(-4000);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
      resolve({ code, isLate, output: output.trim() });
    });
  });
}
