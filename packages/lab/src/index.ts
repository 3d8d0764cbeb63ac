export { runStorm, type StormProgress } from "./storm.js";
export { drawStorm } from "./storm-chart.js";
export type { ClientName, PolicyName, StormPlan, StormResult } from "./storm-plan.js";
export { reportStorm } from "./storm-report.js";
