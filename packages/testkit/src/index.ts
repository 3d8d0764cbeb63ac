export { contract } from "./contract.js";
export type { Answer, Driver, DriverClient, DriverRequest } from "./driver.js";
export {
  FlakyServer,
  type Hit,
  hang,
  type Reply,
  refusingUrl,
  reset,
  status,
  truncate,
} from "./flaky-server.js";
export { LongTimers } from "./long-timers.js";
export { until } from "./until.js";
export { type Servers, useServers } from "./use-servers.js";
