export { createManualClock, type ManualClock } from "./manual-clock.js";
export { createSeededRandom } from "./seeded-random.js";
