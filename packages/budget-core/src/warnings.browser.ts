import type { Warn } from "./warner.js";

// A browser has no process to warn, so that every text would be dead weight. The calls of these
// are removed by any bundler.
export type { Warn };

export const createWarner = (): Warn => () => undefined;
export function warnOfAnswer(_warn: Warn, _name: string, _given: unknown): void {}
export function warnOfContradictions(_options: object, _settings: object, _warn: Warn): void {}
export function warnOfOrigin(_warn: Warn): void {}
export function warnOfOutcome(_warn: Warn, _error: unknown): void {}
export function warnOfRepetition(_options: object): void {}
export function warnOfRequestOptions(_warn: Warn, _name: string, _error: unknown): void {}
export function warnOfThrow(_warn: Warn, _name: string, _error: unknown): void {}
