import { readFileSync } from "node:fs";
import { type Peer, peers } from "./peer.js";
import type { PeerCase } from "./peer-case.js";

const manifest = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { readonly devDependencies: Readonly<Record<string, string>> };

/** A page of Markdown with a table for each part. */
export function peerTable(parts: Readonly<Record<string, readonly PeerCase[]>>): string {
  const sections = Object.entries(parts).map(([title, cases]) =>
    [`## ${title}`, "", ...rowsOf(cases), ""].join("\n"),
  );
  return [
    "# Measured: axios-retry, retry-axios and the retry budget",
    "",
    `Each case was run with axios ${versionOf("axios")} against a server on loopback, with two retries allowed and next to no wait. Bold is what differs from the retry budget. The tests of \`npm run peers\` measure each cell again, and fail where this page is no longer true.`,
    "",
    ...sections,
  ].join("\n");
}

function rowsOf(cases: readonly PeerCase[]): string[] {
  const head = peers.map((peer) =>
    peer === "retry-budget" ? "`@retry-budget/axios`" : `${peer} ${versionOf(peer)}`,
  );
  return [
    `| | ${head.join(" | ")} |`,
    `| --- |${" --- |".repeat(peers.length)}`,
    ...cases.map(({ title, expected }) => {
      const cells = peers.map((peer) => cellOf(peer, expected));
      return `| ${title} | ${cells.join(" | ")} |`;
    }),
  ];
}

function cellOf(peer: Peer, expected: PeerCase["expected"]): string {
  const text = expected[peer];
  const shown = text.startsWith("{") ? `\`${text}\`` : text;
  return text === expected["retry-budget"] ? shown : `**${shown}**`;
}

function versionOf(name: Peer | "axios"): string {
  return manifest.devDependencies[name] ?? "";
}
