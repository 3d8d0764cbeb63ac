import { build } from "vite";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
const core = process.argv[2] ?? "/tmp/sz/packages/budget-core/dist/index.js";
const sz = async (entry, ext=[]) => {
 writeFileSync("/tmp/size-entry.js", entry);
 const result = await build({ root:"/tmp", logLevel: "silent", configFile:false, resolve:{alias:{"@retry-budget/core":core}}, build: { write:false, minify: true, target:"es2022", rollupOptions: { input: "/tmp/size-entry.js", external:ext, preserveEntrySignatures:"strict", output:{format:"es"} } } });
 const code = result.output[0].code; writeFileSync("/tmp/size.out.js", code);
 return [code.length, gzipSync(code,{level:9}).length];
};
console.log("core", await sz('export { createRetryPolicy } from "@retry-budget/core"'));
console.log("all", await sz('export { retryBudget } from "/work/main/packages/axios/dist/index.js"'));
