import type { Route } from "./route.js";

const TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const metrics: Route = {
  method: "GET",
  path: "/metrics",
  scope: "read",
  summary: "Counters for Prometheus",
  response: { description: "Prometheus's text format.", mediaType: "text/plain", schema: { type: "string" } },
  handle: async ({ desk }) => ({ status: 200, type: TYPE, text: await desk.metrics() }),
};
