import { request } from "undici";
import { fetches } from "./fetches.js";

/** What a caller gets, in words that fit every way of sending. */
export interface Received {
  readonly status: number;
  header(name: string): unknown;
  text(): Promise<string>;
}

/** A way to send a request through a dispatcher. */
export interface Sender {
  readonly name: string;
  send(url: string, options: object): Promise<Received>;
}

export const senders: readonly Sender[] = [
  {
    name: "request",
    send: async (url, options) => {
      const { statusCode, headers, body } = await request(url, options);
      return { status: statusCode, header: (name) => headers[name], text: () => body.text() };
    },
  },
  ...fetches.map(({ name, fetch }) => ({
    name,
    send: async (url: string, options: object): Promise<Received> => {
      const response = await fetch(url, options);
      const header = (key: string): unknown => response.headers.get(key) ?? undefined;
      return { status: response.status, header, text: () => response.text() };
    },
  })),
];
