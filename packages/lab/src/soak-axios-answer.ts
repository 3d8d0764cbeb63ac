import { type Refusal, refusalOf } from "@retry-budget/core";
import {
  type AxiosInstance,
  type AxiosRequestConfig,
  type AxiosResponse,
  isAxiosError,
} from "axios";
import type { SoakAnswer, SoakClient } from "./soak-clients.js";

interface Answered {
  readonly response: AxiosResponse;
  readonly refusal: Refusal | undefined;
}

/** What the faults look like; ERR_BAD_RESPONSE is a body that breaks off. */
const faultCodes: ReadonlySet<unknown> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "ERR_BAD_RESPONSE",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
]);

/** Ends when a stream was read to its end, too. */
export async function sendByAxios(
  instance: AxiosInstance,
  request: AxiosRequestConfig,
  abort: Parameters<SoakClient["send"]>[2],
): Promise<SoakAnswer> {
  const { response, refusal } = await instance.request(request).then(answered, unavailable);
  const { status, data } = response;
  if (request.responseType !== "stream") return { status, refusal };
  for await (const _ of data) {
    // Of an error's body axios has let go, and of one that has come in full: they are not aborted.
    // Nor does it tell who has not begun to read that a stream was.
    if (status === 200 && data.complete !== true) abort("body");
  }
  return { status, refusal };
}

export function isAxiosFault(error: unknown): boolean {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return faultCodes.has(code) || (cause !== undefined && isAxiosFault(cause));
}

function answered(response: AxiosResponse): Answered {
  return { response, refusal: refusalOf(response)?.refusal };
}

/** For axios a 503 is an error. */
function unavailable(error: unknown): Answered {
  if (!isAxiosError(error) || error.response?.status !== 503) throw error;
  return { response: error.response, refusal: refusalOf(error)?.refusal };
}
