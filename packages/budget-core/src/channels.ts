import type { RetryBudgetEvent } from "./events.js";

/** The part of a `diagnostics_channel` channel that is used. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface BuiltinProcess {
  getBuiltinModule?(id: string): { channel(name: string): Channel } | undefined;
}

type EventType = RetryBudgetEvent["type"];

// Made once, as Node's documentation asks; where there is no such module nothing is published.
const builtin = (globalThis as { process?: BuiltinProcess }).process?.getBuiltinModule?.(
  "diagnostics_channel",
);

function channelOf(type: EventType): Channel | undefined {
  return builtin?.channel(`retry-budget:${type}`);
}

/**
 * The `diagnostics_channel` channels `retry-budget:<type>`, by type. In browsers
 * `channels.browser.ts` takes the place of this file.
 */
export const channels: Readonly<Record<EventType, Channel | undefined>> = {
  original: channelOf("original"),
  retry: channelOf("retry"),
  refused: channelOf("refused"),
  exhausted: channelOf("exhausted"),
  replenished: channelOf("replenished"),
  evicted: channelOf("evicted"),
};
