import { expect, test } from "vitest";
import { errorTraits } from "../src/error-traits.js";

const coded = (code: unknown, more: object = {}): Error =>
  Object.assign(new Error("x"), { code }, more);

test.each([
  ["ECONNREFUSED", {}],
  ["ENOTFOUND", {}],
  ["EAI_AGAIN", {}],
  ["EADDRINUSE", {}],
  ["UND_ERR_CONNECT_TIMEOUT", {}],
  ["ETIMEDOUT", { syscall: "connect" }],
  ["ENETUNREACH", { syscall: "connect" }],
  ["ERR_HTTP2_STREAM_ERROR", { http2ErrorCode: 7 }],
])("%s %o was never sent", (code, more) => {
  expect(errorTraits(coded(code, more))).toEqual({ transient: true, neverSent: true });
});

test.each([
  ["ECONNRESET", {}],
  ["EPIPE", {}],
  ["ETIMEDOUT", {}],
  ["ECONNABORTED", {}],
  ["UND_ERR_SOCKET", {}],
  ["UND_ERR_HEADERS_TIMEOUT", {}],
  ["UND_ERR_BODY_TIMEOUT", {}],
  ["ERR_STREAM_PREMATURE_CLOSE", {}],
  ["ESOCKETTIMEDOUT", {}],
  ["ENETUNREACH", {}],
  ["EHOSTUNREACH", { syscall: "write" }],
  ["ERR_HTTP2_STREAM_ERROR", { message: "closed with NGHTTP2_INTERNAL_ERROR" }],
  ["ERR_HTTP2_SESSION_ERROR", { http2ErrorCode: 2 }],
  ["ERR_HTTP2_SESSION_ERROR", { message: "Session closed with error code 2" }],
])("%s %o is transient and may have been received", (code, more) => {
  expect(errorTraits(coded(code, more))).toEqual({ transient: true, neverSent: false });
});

test.each([
  [coded("CERT_HAS_EXPIRED")],
  [coded("ERR_SSL_WRONG_VERSION_NUMBER")],
  [coded("HPE_INVALID_CONSTANT")],
  [coded("UND_ERR_INVALID_ARG")],
  [coded("UND_ERR_DESTROYED")],
  [coded("ERR_FR_TOO_MANY_REDIRECTS")],
  [coded("ERR_HTTP2_STREAM_ERROR", { message: "closed with NGHTTP2_PROTOCOL_ERROR" })],
  [coded("ERR_HTTP2_SESSION_ERROR", { message: "Session closed with error code 1" })],
  [coded("ERR_HTTP2_SESSION_ERROR", { http2ErrorCode: 7 })],
  [coded(23)],
  [new Error("no code")],
  ["a string"],
  [undefined],
])("%s is permanent", (error) => {
  expect(errorTraits(error)).toEqual({ transient: false, neverSent: false });
});

test("the code is found in the cause chain and in an aggregate's members", () => {
  const refused = coded("ECONNREFUSED");
  expect(errorTraits(new TypeError("fetch failed", { cause: refused })).neverSent).toBe(true);
  expect(errorTraits(coded("ERR_NETWORK", { cause: refused })).neverSent).toBe(true);
  const unreachable = coded("ENETUNREACH", { syscall: "connect" });
  expect(errorTraits(new AggregateError([refused, unreachable])).neverSent).toBe(true);
});

test.each([
  ["ECONNRESET", { transient: true, neverSent: false }],
  ["ENETUNREACH", { transient: true, neverSent: false }],
  ["CERT_HAS_EXPIRED", { transient: false, neverSent: false }],
])("one member of an aggregate with %s decides for all", (code, traits) => {
  const refused = coded("ECONNREFUSED");
  expect(errorTraits(new AggregateError([refused, coded(code)]))).toEqual(traits);
  expect(errorTraits(new AggregateError([coded(code), refused]))).toEqual(traits);
});

test("a chain that bites its tail ends", () => {
  const error = coded("ERR_UNKNOWN");
  error.cause = error;
  expect(errorTraits(error).transient).toBe(false);
});
