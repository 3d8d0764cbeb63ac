import { type Reply, serve } from "@retry-budget/testkit";
import type { AxiosInstance } from "axios";
import { bare } from "../attached.js";
import { Counted } from "./counted.js";
import { attachPeer, type Peer, type PeerOptions } from "./peer.js";

type SendRequest = (instance: AxiosInstance, url: string) => Promise<unknown>;

/** How many attempts a peer makes of one request to a server that replies so. */
export async function attemptsOf(
  peer: Peer,
  reply: Reply,
  send: SendRequest,
  options?: PeerOptions,
): Promise<string> {
  const { url } = await serve(reply);
  const instance = bare();
  const counted = new Counted(instance);
  attachPeer(peer, instance, options);
  await send(instance, url).catch(() => undefined);
  return counted.attempts;
}
