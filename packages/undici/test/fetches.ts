import * as undici from "undici";

/** A fetch, and the FormData that it knows: each takes its own class only. */
export interface AnyFetch {
  readonly name: string;
  readonly fetch: (url: string, init?: object) => Promise<Response>;
  readonly FormData: typeof FormData;
}

export const fetches: readonly AnyFetch[] = [
  {
    name: "the fetch of npm",
    fetch: undici.fetch as unknown as AnyFetch["fetch"],
    FormData: undici.FormData as unknown as typeof FormData,
  },
  { name: "the built-in fetch", fetch, FormData },
];
