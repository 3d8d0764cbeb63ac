import { expectInteger, expectKey, resolveSettings } from "@retry-budget/core";

/** What is the adapter's own, and not the policy's. */
export interface UndiciSettings {
  /** The origin of a Client or a Pool, which undici 6 and 7 do not tell their interceptors. */
  readonly origin?: string | URL | undefined;
  /**
   * Most bytes kept of a body that can be read once, such as all that `fetch` sends, so that it can
   * be sent again. A larger one is sent once; 0 keeps nothing. @default 262_144
   */
  readonly recordLimit?: number | undefined;
}

export interface ResolvedUndiciSettings {
  readonly origin?: string;
  readonly recordLimit: number;
}

const defaultRecordLimit = 256 * 1024;

/** @throws TypeError that names the field and the value. */
export function resolveUndiciSettings(settings: UndiciSettings = {}): ResolvedUndiciSettings {
  const expectBytes = (field: string, value: unknown): number =>
    expectInteger(field, value, 0, Number.MAX_SAFE_INTEGER);
  const checks = { origin: expectKey, recordLimit: expectBytes };
  return { recordLimit: defaultRecordLimit, ...resolveSettings(settings, checks) };
}
