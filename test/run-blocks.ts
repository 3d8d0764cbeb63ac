import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** A block of code from a page, and the server that it is to call. */
export interface Run {
  readonly block: string;
  readonly url: string;
}

// Between retries they wait up to ten seconds. It is requests that are counted: a hundredth will do.
// Shorter ones are also how undici counts time, longer ones are timeouts.
const impatience = `
  import { syncBuiltinESMExports } from "node:module";
  import timers from "node:timers/promises";
  const shortened = (ms) => (ms >= 500 && ms < 10_000 ? ms / 100 : ms);
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => start(work, shortened(ms), ...rest);
  const { setTimeout: sleep } = timers;
  timers.setTimeout = (ms, ...rest) => sleep(shortened(ms), ...rest);
  syncBuiltinESMExports();`;

// No proxy, file or account of this machine's.
const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  AWS_REGION: "eu-north-1",
  AWS_ACCESS_KEY_ID: "none",
  AWS_SECRET_ACCESS_KEY: "none",
  OPENAI_API_KEY: "none",
  ANTHROPIC_API_KEY: "none",
};

const imports = /^import (?:(\w+)(?:, )?)?(\{.*\})? from (".*");$/gm;

/**
 * Runs blocks that call failing servers, all at once in one process of their own. Gives what it
 * says where something else went wrong than the calls, or where it warns of a layer.
 */
export async function runBlocks(runs: readonly Run[]): Promise<string> {
  const modules = runs.flatMap(({ block }) =>
    Array.from(block.matchAll(imports), ([, , , m]) => m),
  );
  const loads = Array.from(new Set(modules), (name) => `loaded[${name}] = await import(${name});`);
  const lines = ["const loaded = {}, running = [];", ...loads, ...runs.map(begin), ending];
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(impatience)}`];
  const node = spawn(process.execPath, [...flags, "--input-type=module"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: environment,
  });
  node.stdin.end(lines.join("\n"));
  const output = Promise.all([text(node.stderr), text(node.stdout)]);
  const [[code], [errors, out]] = await Promise.all([once(node, "close"), output]);
  return code !== 0 || errors.includes("RETRY_BUDGET_") ? errors + out : "";
}

/** The modules are there: all read the environment before they wait for anything. */
function begin({ block, url }: Run): string {
  const aims = ["API_URL", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"];
  const aim = aims.map((name) => `process.env.${name} = ${JSON.stringify(url)};`);
  const body = block.replace(imports, (_, whole?: string, named = "{}", name = "") => {
    const own = whole === undefined ? "" : `const { default: ${whole} } = loaded[${name}]; `;
    return `${own}const ${named} = loaded[${name}];`;
  });
  return `${aim.join("\n")}\nrunning.push((async () => {\n${body}\n})());`;
}

const ending = `
  for (const { reason } of await Promise.allSettled(running)) {
    if (reason === undefined) throw new Error("A call has not failed.");
    if (["ReferenceError", "SyntaxError"].includes(reason.name)) throw reason;
  }
  process.exit();`;
