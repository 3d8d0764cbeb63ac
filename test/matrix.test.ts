import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const command = fileURLToPath(new URL("../packages/lab/dist/matrix-command.js", import.meta.url));

test("the matrix of an unknown client is an error that says what is allowed", async () => {
  const error = await run(process.execPath, [command, "curl"]).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 1 });
  expect(Object(error).stderr).toContain("Allowed choices are undici, axios, got, p-retry.");
});

test("where its Node binaries do not run, the matrix says so and ends", async () => {
  const elsewhere =
    "data:text/javascript,Object.defineProperty(process,'platform',{value:'darwin'})";
  const args = ["--import", elsewhere, command, "undici"];
  const error = await run(process.execPath, args).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 1, stdout: "" });
  expect(Object(error).stderr).toContain("The matrix needs Linux on x64");
});
