import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build, defaultClientConditions, type Plugin } from "vite";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entry = fileURLToPath(new URL("entry.ts", import.meta.url));

/**
 * One minified module for a browser, as a user of vite would build it, of our sources. Relative
 * imports in the code count from this folder.
 * @throws Error if anything in it imports a module of Node's.
 */
export async function bundleForBrowser(entryCode: string): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    // What fails is thrown.
    logLevel: "silent",
    plugins: [refuseNode, provide(entryCode)],
    resolve: { conditions: ["@retry-budget/source", ...defaultClientConditions] },
    build: { write: false, rollupOptions: { input: entry } },
  });
  const output = "output" in result ? result.output : [];
  const [code, ...others] = output.flatMap((file) => (file.type === "chunk" ? [file.code] : []));
  if (code === undefined || others.length > 0) throw new Error("Expected one chunk.");
  return code;
}

// Vite alone would put an empty module in its place, which fails in the page only where it is used.
const refuseNode: Plugin = {
  name: "refuse-node",
  enforce: "pre",
  resolveId(source, importer) {
    if (isBuiltin(source)) throw new Error(`${importer} imports ${source}.`);
  },
};

function provide(code: string): Plugin {
  return {
    name: "provide-entry",
    enforce: "pre",
    resolveId: (source) => (source === entry ? entry : undefined),
    load: (id) => (id === entry ? code : undefined),
  };
}
