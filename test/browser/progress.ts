import type { Reply } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";

const body = "x".repeat(20_000);
const sized = (status: number): Reply => {
  return (response) => {
    response.writeHead(status, { "content-length": body.length }).end(body);
  };
};

export function progress(open: Open): void {
  describe("progress in a page", () => {
    test.each(adapters)(
      "of the download is told of each attempt, from its start, with the %s adapter",
      async (adapter) => {
        const { page } = await open(sized(503), sized(200));
        const [attempts, told] = await page.evaluate(async (adapter) => {
          const loaded: number[][] = [[]];
          const { client } = kit.connect(adapter, { onRetry: () => void loaded.push([]) });
          const onDownloadProgress = (event: { loaded: number }): void => {
            loaded.at(-1)?.push(event.loaded);
          };
          await client.get("/api", { onDownloadProgress });
          return [loaded.length, loaded.map((values) => values.at(-1))];
        }, adapter);
        expect([attempts, told]).toEqual([2, [body.length, body.length]]);
      },
    );

    test("of the upload is told of each attempt, from its start, with the xhr adapter", async () => {
      const { page } = await open(sized(503), sized(200));
      const [attempts, told] = await page.evaluate(async (data) => {
        const loaded: number[][] = [[]];
        const { client } = kit.connect("xhr", { onRetry: () => void loaded.push([]) });
        const onUploadProgress = (event: { loaded: number }): void => {
          loaded.at(-1)?.push(event.loaded);
        };
        await client.put("/api", data, { onUploadProgress });
        return [loaded.length, loaded.map((values) => values.at(-1))];
      }, body);
      expect([attempts, told]).toEqual([2, [body.length, body.length]]);
    });
  });
}
