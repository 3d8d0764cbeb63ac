export { contract } from "./contract.js";
export type { Answer, Driver, DriverRequest } from "./driver.js";
export { errorOf } from "./error-of.js";
export {
  FlakyServer,
  hang,
  type Reply,
  reset,
  status,
  truncate,
} from "./flaky-server.js";
export { freePort } from "./free-port.js";
export { listen } from "./listen.js";
export { LongTimers } from "./long-timers.js";
export { outerOf } from "./outer-of.js";
export { refusingUrl } from "./refusing-url.js";
export { serve } from "./serve.js";
export {
  resetStream,
  type SecureReply,
  type SecureServer,
  selfSigned,
  serveSecurely,
} from "./serve-securely.js";
export { ToldBreaker } from "./told-breaker.js";
export { until } from "./until.js";
export { warningsDuring } from "./warnings-during.js";
