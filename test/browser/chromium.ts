import { existsSync } from "node:fs";
import type { Reply } from "@retry-budget/testkit";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { bundleForBrowser } from "./bundle.js";
import { type Site, serveSite } from "./site.js";

const executablePath = "/usr/bin/chromium";
// CI has to have it: there the launch fails instead.
const isSkipped = !existsSync(executablePath) && process.env["CI"] === undefined;
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// What Chromium itself says of a request that failed.
const ofNetwork = /^Failed to load resource: |^Access to \w+ at .+ has been blocked by CORS policy/;

export const adapters = ["xhr", "fetch"] as const;

/** How axios spells a timeout in each. */
export const timeouts = { xhr: "ECONNABORTED", fetch: "ETIMEDOUT" } as const;

export interface Opened {
  readonly page: Page;
  /** The page's own server. */
  readonly site: Site;
}

/** Opens a page with `kit` in it, on a server of its own. */
export type Open = (...replies: Reply[]) => Promise<Opened>;

/** Tests that run in a page, with one browser and one bundle for all. */
export function inChromium(name: string, tests: (open: Open) => void): void {
  if (isSkipped) console.warn(`No ${executablePath}: the browser tests of ${name} are skipped.`);
  describe.skipIf(isSkipped)(name, { timeout: 30_000 }, () => {
    let browser: Browser;
    let page: Page;
    let script: string;
    const complaints: string[] = [];

    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args });
      page = await browser.newPage();
      listen(page, (complaint) => complaints.push(complaint));
      script = await bundleForBrowser('import "./kit.ts"; import "./worker.ts";');
    }, 120_000);
    afterEach(() => expect(complaints.splice(0)).toEqual([]));
    afterAll(() => browser?.close());

    tests(async (...replies) => {
      const site = await serveSite(script, ...replies);
      await page.goto(site.url);
      return { page, site };
    });
  });
}

/** Hears what code in the page complains of: no test is to leave an error there. */
function listen(page: Page, complain: (text: string) => void): void {
  page.on("pageerror", (error) => complain(String(error)));
  page.on("console", (message) => {
    if (!ofNetwork.test(message.text())) complain(message.text());
  });
}
