export { cockatielBreakers } from "./cockatiel-breakers.js";
export { FailedResponseError } from "./failed-response-error.js";
