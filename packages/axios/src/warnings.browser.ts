/** warnings.ts for browsers, which have no process to warn. */
export const warnOfLayer = (_name: string): void => undefined;
