import { json } from "../http/answer.js";
import type { HealthAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { object, string } from "./schemas.js";

export const health: Route = {
  method: "GET",
  path: "/api/hooks/health",
  scope: "public",
  summary: "Whether the hub is there and can store",
  response: {
    description: "It is there.",
    schema: object({ status: { enum: ["ok", "disk_full"] }, version: string, instance: string, startedAt: string }),
  },
  handle({ parts: { ingest, version, instance, startedAt } }) {
    return json({ status: ingest.isDiskFull ? "disk_full" : "ok", version, instance, startedAt } satisfies HealthAnswer);
  },
};
