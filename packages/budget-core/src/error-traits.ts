export interface ErrorTraits {
  /** Another attempt may clear it. */
  readonly transient: boolean;
  /** The connection was never made, or the server has said that it processed nothing. */
  readonly neverSent: boolean;
}

const permanent: ErrorTraits = { transient: false, neverSent: false };
const lost: ErrorTraits = { transient: true, neverSent: false };
const neverSent: ErrorTraits = { transient: true, neverSent: true };

// An allow-list: what does not stand here (TLS, parser, argument, size and redirect errors) is
// permanent. "No response, so retry" would repeat them all.
const lostCodes = new Set([
  "ECONNABORTED",
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ESOCKETTIMEDOUT",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);
const neverSentCodes = new Set([
  "EADDRINUSE",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);
// The network can vanish under an open connection as well: only `connect` proves that none was made.
const networkCodes = new Set(["EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH"]);

interface Coded {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly http2ErrorCode?: unknown;
}

/** The first code in the `cause` chain, or in an aggregate's members, that the lists know decides. */
export function errorTraits(error: unknown): ErrorTraits {
  return findTraits(error, 0) ?? permanent;
}

function findTraits(error: unknown, depth: number): ErrorTraits | undefined {
  if (typeof error !== "object" || error === null || depth > 8) return undefined;
  const { cause, errors } = error as Coded;
  return traitsByCode(error) ?? findTraits(cause, depth + 1) ?? traitsOfAll(errors, depth + 1);
}

/** Never sent only if that holds for all: a dual-stack connection fails once for each address. */
function traitsOfAll(errors: unknown, depth: number): ErrorTraits | undefined {
  if (!Array.isArray(errors)) return undefined;
  const found = errors.map((error) => findTraits(error, depth) ?? permanent);
  return found.find((traits) => !traits.neverSent) ?? found[0];
}

function traitsByCode(error: Coded): ErrorTraits | undefined {
  const { code, syscall } = error;
  if (typeof code !== "string") return undefined;
  if (neverSentCodes.has(code)) return neverSent;
  if (networkCodes.has(code)) return syscall === "connect" ? neverSent : lost;
  if (code === "ETIMEDOUT" && syscall === "connect") return neverSent;
  if (lostCodes.has(code)) return lost;
  if (code === "ERR_HTTP2_STREAM_ERROR") return http2Traits(error);
  if (code === "ERR_HTTP2_SESSION_ERROR") return sessionTraits(error);
  return undefined;
}

// RFC 9113 §8.7: a refused stream was not processed. Some clients keep the code in the text only.
function http2Traits({ http2ErrorCode, message }: Coded): ErrorTraits | undefined {
  const text = String(message);
  if (http2ErrorCode === 7 || text.includes("NGHTTP2_REFUSED_STREAM")) return neverSent;
  if (http2ErrorCode === 2 || text.includes("NGHTTP2_INTERNAL_ERROR")) return lost;
  return undefined;
}

// All streams of the connection end with it, and any of them may have been processed.
function sessionTraits({ http2ErrorCode, message }: Coded): ErrorTraits | undefined {
  const isInternal = http2ErrorCode === 2 || String(message).endsWith("error code 2");
  return isInternal ? lost : undefined;
}
