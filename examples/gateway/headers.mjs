// RFC 9110 §7.6.1: these belong to one connection, and so does what `Connection` names.
const hopByHop = [
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The headers of a request or of a response that are meant for the next one, too. */
export function withoutHopByHop(headers) {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(/[ \t]*,[ \t]*/);
  return without(headers, (name) => hopByHop.includes(name) || named.includes(name));
}

const marks = /^(?:retry-budget-|x-envoy-|grpc-previous-rpc-attempts$|grpc-timeout$|amz-sdk-)/;

/** What a caller says of its own attempts is not to be taken for what the gateway says of its own. */
export function withoutMarks(headers) {
  return without(headers, (name) => marks.test(name));
}

function without(headers, isUnwanted) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isUnwanted(name)));
}
