import { aKey, mistake } from "./mistake.js";
import { originOf } from "./origin.js";

/**
 * The key of a budget that somebody named: the origin where the text is a URL, else the text itself.
 * @throws TypeError if the value is neither a URL nor a name.
 */
export function expectKey(field: string, value: unknown): string {
  try {
    if (value instanceof URL) return originOf(value);
    if (typeof value === "string" && value !== "") {
      return value.includes("://") ? originOf(value) : value;
    }
  } catch {
    // The message below names the field; the parser's does not.
  }
  throw mistake(field, aKey, value);
}

/** The key of a budget for what is reached through a Unix socket, whatever host its URL names. */
export function socketKey(path: string): string {
  return `unix:${path}`;
}
