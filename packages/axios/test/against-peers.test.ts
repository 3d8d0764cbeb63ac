import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { attemptCases } from "./peers/attempt-cases.js";
import { bodyCases } from "./peers/body-cases.js";
import { peers } from "./peers/peer.js";
import { peerTable } from "./peers/peer-table.js";
import { setUpCases } from "./peers/set-up-cases.js";
import { waitCases } from "./peers/wait-cases.js";

// Another axios makes other errors: what stands in the docs was measured with this repository's.
const isOtherAxios = process.env["RETRY_BUDGET_CLIENT"] !== undefined;

const parts = {
  "How often it is sent": attemptCases,
  "What becomes of a body": bodyCases,
  "What ends a wait": waitCases,
  "Options, plugins, an outage": setUpCases,
};

for (const { title, expected, measure } of Object.values(parts).flat()) {
  describe.skipIf(isOtherAxios)(`${title}:`, () => {
    test.each(peers)(
      "%s does what the table says",
      async (peer) => {
        expect(await measure(peer)).toBe(expected[peer]);
      },
      30_000,
    );
  });
}

test("the table in the docs is of these cases (`npm run peers` writes it)", async () => {
  const file = fileURLToPath(new URL("../../../docs/migrate/measured.md", import.meta.url));
  await expect(peerTable(parts)).toMatchFileSnapshot(file);
});
