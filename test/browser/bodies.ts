import { status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";

const kinds = ["text", "JSON", "URLSearchParams", "Blob", "File", "ArrayBuffer", "bytes"] as const;
const contentTypes: Partial<Record<(typeof kinds)[number], string>> = {
  JSON: "application/json",
  URLSearchParams: "application/x-www-form-urlencoded;charset=utf-8",
};

export function bodies(open: Open): void {
  describe("a body in a page", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test.each(kinds)("of the kind %s is sent again, byte for byte", async (kind) => {
        const { page, site } = await open(status(503), status(200));
        await page.evaluate(
          async ({ adapter, kind }) => {
            const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index);
            const bodies = {
              text: "größer ".repeat(1000),
              JSON: { size: "größer", list: [1, 2, 3] },
              URLSearchParams: new URLSearchParams({ size: "größer", unit: "m&m" }),
              Blob: new Blob([bytes], { type: "image/x-test" }),
              File: new File([bytes], "picture.bin"),
              ArrayBuffer: bytes.buffer,
              bytes,
            };
            const { client } = kit.connect(adapter);
            await client.put("/api", bodies[kind]);
          },
          { adapter, kind },
        );
        const [first, second, ...others] = site.hits;
        expect(others).toEqual([]);
        expect(first?.body.length).toBeGreaterThan(10);
        expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true);
        expect(second?.headers).toEqual(first?.headers);
        const contentType = contentTypes[kind];
        if (contentType !== undefined) {
          expect(second?.headers["content-type"]?.toLowerCase()).toBe(contentType);
        }
      });

      test("that the request makes anew goes out with the retry, at its own length", async () => {
        const { page, site } = await open(status(503), status(200));
        await page.evaluate(async (adapter) => {
          const { client } = kit.connect(adapter);
          await client.put("/api", "first", { retryBudget: { body: () => "the second" } });
        }, adapter);
        expect(site.hits.map(({ body }) => String(body))).toEqual(["first", "the second"]);
      });

      test.each(["FormData", "putForm"] as const)(
        "made as %s is sent again in full, with the boundary that its header names",
        async (kind) => {
          const { page, site } = await open(status(503), status(200));
          await page.evaluate(
            async ({ adapter, kind }) => {
              const { client } = kit.connect(adapter);
              const file = new File([Uint8Array.of(1, 2, 3)], "picture.bin");
              const form = new FormData();
              form.set("size", "größer");
              form.set("file", file);
              if (kind === "FormData") await client.put("/api", form);
              else await client.putForm("/api", { size: "größer", file });
            },
            { adapter, kind },
          );
          const forms = await Promise.all(site.hits.map(readForm));
          expect(forms).toEqual(Array(2).fill({ size: "größer", file: "picture.bin: 1,2,3" }));
        },
      );
    });
  });
}

/** As a server would: a boundary that the body does not have is an error. */
async function readForm({ headers, body }: { headers: object; body: Buffer }): Promise<object> {
  const { "content-type": type = "" } = headers as { "content-type"?: string };
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  const file = form.get("file") as File;
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { size: form.get("size"), file: `${file.name}: ${bytes}` };
}
