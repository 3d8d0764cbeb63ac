/**
 * What undici gives where no response comes in time. It is not imported, so it is made alike: its
 * classes know their own, of whichever copy, by registered symbols.
 * @param time ms of the whole call, where that is known
 */
export function headersTimeoutError(time?: number): Error {
  return timeoutError("Headers", time);
}

/** What undici gives where the body of a response does not come in time. */
export function bodyTimeoutError(time?: number): Error {
  return timeoutError("Body", time);
}

function timeoutError(part: "Headers" | "Body", time: number | undefined): Error {
  const detail = time === undefined ? "deadline" : `deadline: ${Math.ceil(time)}ms`;
  const code = `UND_ERR_${part.toUpperCase()}_TIMEOUT`;
  const error = new Error(`${part} Timeout Error (${detail})`);
  for (const kind of ["UND_ERR", code]) {
    Object.defineProperty(error, Symbol.for(`undici.error.${kind}`), { value: true });
  }
  return Object.assign(error, { name: `${part}TimeoutError`, code });
}
