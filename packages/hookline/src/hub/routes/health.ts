import { json } from "../http/answer.js";
import type { HubParts } from "../parts.js";
import type { HealthAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { object, string } from "./schemas.js";

/** Whether what comes can be stored. */
export function stateOf({ isDiskFull, isStoreFailed }: HubParts["ingest"]): HealthAnswer["status"] {
  if (isDiskFull) return "disk_full";
  return isStoreFailed ? "store_failed" : "ok";
}

export const health: Route = {
  method: "GET",
  path: "/api/hooks/health",
  scope: "public",
  summary: "Whether the hub is there and can store",
  response: {
    description: "It is there.",
    schema: object({ status: { enum: ["ok", "disk_full", "store_failed"] }, version: string, instance: string, startedAt: string }),
  },
  handle({ parts: { ingest, version, instance, startedAt } }) {
    return json({ status: stateOf(ingest), version, instance, startedAt } satisfies HealthAnswer);
  },
};
