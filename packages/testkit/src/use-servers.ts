import { afterEach } from "vitest";
import { FlakyServer, type Reply } from "./flaky-server.js";

export interface Servers {
  /** A server that ends with the test. */
  serve(...replies: Reply[]): Promise<FlakyServer>;
  /** Something else to end with the test, before the servers. */
  afterwards(cleanUp: () => unknown): void;
}

/** Called once in a test file or suite. */
export function useServers(): Servers {
  const cleanUps: (() => unknown)[] = [];
  const afterwards = (cleanUp: () => unknown): void => {
    cleanUps.push(cleanUp);
  };

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  return {
    afterwards,
    serve: async (...replies) => {
      const server = await FlakyServer.start(...replies);
      afterwards(() => server.close());
      return server;
    },
  };
}
