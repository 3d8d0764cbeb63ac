/** known-layers.ts for browsers, where the SDKs send by `fetch`, which no client of ours stands on. */
export function isRetriedAbove(_situation: object): boolean {
  return false;
}
