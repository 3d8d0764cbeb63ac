import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { backoffFields } from "../packages/budget-core/src/backoff.js";
import { errorTraits } from "../packages/budget-core/src/error-traits.js";
import type { Fields } from "../packages/budget-core/src/fields.js";
import { policyFields } from "../packages/budget-core/src/policy-fields.js";
import { requestFields } from "../packages/budget-core/src/request-options.js";
import { resolvePolicyOptions } from "../packages/budget-core/src/resolve-options.js";
import { resolveUndiciSettings } from "../packages/undici/src/undici-settings.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): Promise<string> => readFile(root + path, "utf8");
const folders = ["budget-core", "undici", "axios", "got", "p-retry", "context", "cockatiel"];
const readmes = ["README.md", ...folders.map((folder) => `packages/${folder}/README.md`)];

/** Option and default of every row of the table between the two marks. */
async function optionsTable(): Promise<Map<string, string>> {
  const [, table = ""] =
    /<!-- options -->([\s\S]*)<!-- \/options -->/.exec(await read("README.md")) ?? [];
  const rows = table.matchAll(/^\| `(\w+)` \| (.+?) \| .+\|$/gm);
  return new Map(
    Array.from(rows, ([, name = "", value = ""]) => [name, value.replaceAll("`", "")]),
  );
}

test("the options table lists every option that the code knows, and no other", async () => {
  expect([...(await optionsTable()).keys()].sort()).toEqual(Object.keys(policyFields).sort());
});

test("the defaults in the options table are those of the code", async () => {
  const table = await optionsTable();
  const number = (text = ""): number => Number(text.replaceAll("_", ""));
  const defaultOf = (fields: Fields, name: string): unknown => fields[name]?.[1];
  for (const name of Object.keys(policyFields)) {
    const value = defaultOf(policyFields, name);
    const text = table.get(name);
    // These have a default that no table can show: functions, and the other way to say none.
    const isToldInWords = ["clock", "random", "origins"].includes(name);
    if (value === undefined || value === Number.POSITIVE_INFINITY || isToldInWords)
      expect(text).toMatch(/^(none|in this process|the system's|Math\.random|capacity)$/);
    else if (name === "backoff") {
      const [base, max, jitter] = ["base", "max", "jitter"].map((part) =>
        defaultOf(backoffFields, part),
      );
      expect(text?.replaceAll("_", "")).toBe(`{ base: ${base}, max: ${max}, jitter: "${jitter}" }`);
    } else if (Array.isArray(value)) expect(text).toBe(value.join(" "));
    else if (typeof value === "number") expect(number(text)).toBe(value);
    else expect(text).toBe(JSON.stringify(value));
  }
  const { initial, capacity } = resolvePolicyOptions({}, () => undefined);
  expect([table.get("initial"), initial]).toEqual(["capacity", capacity]);
});

test.each(readmes)("%s imports only what the packages export", async (path) => {
  const imports = (await read(path)).matchAll(
    /import \{ ([^}]+) \} from "(@retry-budget\/[^"]+)"/g,
  );
  let found = 0;
  for (const [, names = "", specifier = ""] of imports) {
    const exported = (await import(specifier)) as object;
    for (const name of names.split(", ")) expect(exported).toHaveProperty(name);
    found++;
  }
  expect(found).toBeGreaterThan(0);
});

test("the options of one request are those that the code knows", async () => {
  const [, section = ""] =
    /<!-- request -->([\s\S]*)<!-- \/request -->/.exec(await read("README.md")) ?? [];
  expect(Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name)).toEqual(
    Object.keys(requestFields),
  );
});

test("the error codes that are listed as transient are those of the code, in the right row", async () => {
  const readme = await read("README.md");
  const row = (title: string): string[] => {
    const [, cells = ""] = new RegExp(`^\\| ${title}: .*?\\|(.*)\\|$`, "m").exec(readme) ?? [];
    return Array.from(cells.matchAll(/`([A-Z]\w+)`/g), ([, code = ""]) => code);
  };
  const [neverSent, lost] = [row("never sent"), row("lost on the way")];
  for (const code of lost) {
    if (code === "INTERNAL_ERROR") continue;
    expect(errorTraits({ code }), code).toEqual({ transient: true, neverSent: false });
  }
  for (const code of neverSent) {
    if (code === "REFUSED_STREAM") continue;
    expect(errorTraits({ code, syscall: "connect" }), code).toMatchObject({ neverSent: true });
  }
  const source = await read("packages/budget-core/src/error-traits.ts");
  const known = Array.from(
    source.matchAll(/^ {2}"(\w+)",$|"(E\w+UNREACH|E\w+DOWN)"/gm),
    (match) => match[1] ?? match[2],
  );
  expect([...neverSent, ...lost]).toEqual(expect.arrayContaining(known));
  expect(known.length).toBeGreaterThan(10);
});

test.each(["options", "request", "decides"])(
  "the core's README, which is published, has the same table of %s",
  async (name) => {
    const section = new RegExp(`<!-- ${name} -->([\\s\\S]*)<!-- /${name} -->`);
    const [, ours] = section.exec(await read("README.md")) ?? [];
    const [, published] = section.exec(await read("packages/budget-core/README.md")) ?? [];
    expect(ours).toBeDefined();
    expect(published).toBe(ours);
  },
);

test("the exports that the core's README lists are those that it has", async () => {
  const [, table = ""] =
    /\| export \|([\s\S]*?)\n\n/.exec(await read("packages/budget-core/README.md")) ?? [];
  const listed = Array.from(table.matchAll(/^\|(.+?)\|/gm), ([, cell = ""]) =>
    Array.from(cell.matchAll(/`(\w+)/g), ([, name = ""]) => name),
  ).flat();
  const core: object = await import("@retry-budget/core");
  const testing: object = await import("@retry-budget/core/testing");
  expect(listed.sort()).toEqual([...Object.keys(core), ...Object.keys(testing)].sort());
});

test("the warnings that the core's README lists are those that the core gives", async () => {
  const [, section = ""] =
    /## Warnings\n([\s\S]*?)\n## /.exec(await read("packages/budget-core/README.md")) ?? [];
  const source = "packages/budget-core/src/";
  const code = await Promise.all((await readdir(root + source)).map((file) => read(source + file)));
  const codes = Array.from(code.join("").matchAll(/"(RETRY_BUDGET_\w+)"/g), ([, name]) => name);
  const contained = Array.from(
    code.join("").matchAll(/(?:contain|warnOfThrow)\(\s*[\w.#]+, "(\w+)"/g),
    ([, name = ""]) => `RETRY_BUDGET_${name.toUpperCase()}`,
  );
  expect(contained.length).toBeGreaterThan(0);
  expect(Array.from(section.matchAll(/RETRY_BUDGET_\w+/g), ([name]) => name).sort()).toEqual(
    [...new Set([...codes, ...contained])].sort(),
  );
});

test("the settings, and the warnings, that undici's README lists are those of its adapter", async () => {
  const readme = await read("packages/undici/README.md");
  const [, table = ""] = /<!-- settings -->([\s\S]*)<!-- \/settings -->/.exec(readme) ?? [];
  const rows = table.matchAll(/^\| `(\w+)` \| (.+?) \|/gm);
  const { recordLimit } = resolveUndiciSettings();
  expect(Array.from(rows, ([, name, value]) => [name, value])).toEqual([
    ["origin", "none"],
    ["recordLimit", `\`${String(recordLimit).replace(/(\d)(?=(\d{3})+$)/g, "$1_")}\``],
  ]);
  expect(() => resolveUndiciSettings({ misspelt: 1 } as object)).toThrow(
    "Known options: origin, recordLimit.",
  );
  const source = "packages/undici/src/";
  const code = await Promise.all((await readdir(root + source)).map((file) => read(source + file)));
  const codes = Array.from(code.join("").matchAll(/"(RETRY_BUDGET_\w+)"/g), ([, name]) => name);
  const listed = Array.from(readme.matchAll(/`(RETRY_BUDGET_\w+)`/g), ([, name]) => name);
  expect(codes.length).toBeGreaterThan(2);
  expect(new Set(listed)).toEqual(new Set(codes.filter((name) => name !== "RETRY_BUDGET")));
});

test("the warnings that p-retry's README lists are those of its adapter", async () => {
  const source = "packages/p-retry/src/";
  const code = await Promise.all((await readdir(root + source)).map((file) => read(source + file)));
  const asked = Array.from(
    code.join("").matchAll(/contain\(warn, "(\w+)"/g),
    ([, name = ""]) => name,
  );
  const listed = (await read("packages/p-retry/README.md")).matchAll(/`(RETRY_BUDGET_\w+)`/g);
  const codes = new Set(asked.map((name) => `RETRY_BUDGET_${name.toUpperCase()}`));
  expect(new Set(Array.from(listed, ([, name]) => name))).toEqual(codes);
  expect(code.join("")).not.toContain('"RETRY_BUDGET_');
});

test.each(readmes)("the relative links of %s lead somewhere", async (path) => {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  for (const [, target = ""] of (await read(path)).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    const place = root + folder + target.replace(/#.*/, "");
    await expect(
      readFile(place).catch(() => readdir(place)),
      target,
    ).resolves.toBeDefined();
  }
});

test("the commands of the README are scripts of the project", async () => {
  const { scripts } = JSON.parse(await read("package.json")) as { scripts: object };
  for (const [, name = ""] of (await read("README.md")).matchAll(/npm run ([\w:]+)/g)) {
    expect(scripts).toHaveProperty(name);
  }
});
