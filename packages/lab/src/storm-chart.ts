import * as echarts from "echarts";
import { clientNames, type PolicyName, policyNames, type StormResult } from "./storm-plan.js";

const names: Record<PolicyName, string> = {
  bare: "no retries",
  own: "own retries",
  budget: "retry budget",
};
const colors: Record<PolicyName, string> = { bare: "#9aa5b1", own: "#d64545", budget: "#2f8132" };

/** The storm as an SVG picture: amplification by client and policy. */
export function drawStorm(results: readonly StormResult[]): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: 720, height: 380 });
  const amplification = (client: string, policy: PolicyName): number => {
    const result = results.find((entry) => entry.client === client && entry.policy === policy);
    return Number((result?.amplification ?? 0).toFixed(3));
  };
  const originals = results[0]?.originals ?? 0;
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    title: {
      text: "Load on a failing server",
      subtext: `${originals} original requests in an outage; requests received for each`,
      left: "center",
    },
    legend: { bottom: 0, itemGap: 40 },
    grid: { left: 50, right: 20, top: 70, bottom: 60 },
    xAxis: { type: "category", data: [...clientNames] },
    yAxis: { type: "value", name: "x", min: 0 },
    series: policyNames.map((policy) => ({
      type: "bar",
      name: names[policy],
      color: colors[policy],
      data: clientNames.map((client) => amplification(client, policy)),
      label: { show: true, position: "top", formatter: "{c}x" },
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
