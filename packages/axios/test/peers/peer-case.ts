import type { Peer } from "./peer.js";

/** One thing that the peers are asked to do. */
export interface PeerCase {
  /** Says what is done, with the number of the issue where it is a known bug. */
  readonly title: string;
  /** What comes of it, in the words of the table. */
  readonly expected: Readonly<Record<Peer, string>>;
  measure(peer: Peer): Promise<string>;
}
