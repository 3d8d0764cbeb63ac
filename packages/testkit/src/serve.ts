import { onTestFinished } from "vitest";
import { FlakyServer, type Reply } from "./flaky-server.js";

/** A flaky server that ends with the test. */
export async function serve(...replies: Reply[]): Promise<FlakyServer> {
  const server = await FlakyServer.start(...replies);
  onTestFinished(() => server.close());
  return server;
}
