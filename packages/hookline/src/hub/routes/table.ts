import { agentHook } from "./agent-hook.js";
import { answerApproval } from "./answer-approval.js";
import { approvals } from "./approvals.js";
import { decide } from "./decide.js";
import { event } from "./event.js";
import { events } from "./events.js";
import { handlers } from "./handlers.js";
import { health } from "./health.js";
import { ingest } from "./ingest.js";
import { metrics } from "./metrics.js";
import { openapi } from "./openapi.js";
import { proof } from "./proof.js";
import { rotateToken } from "./rotate-token.js";
import type { Route } from "./route.js";
import { selftest } from "./selftest.js";
import { sessions } from "./sessions.js";
import { sinks } from "./sinks.js";
import { sources } from "./sources.js";
import { status } from "./status.js";
import { stop } from "./stop.js";
import { stream } from "./stream.js";

/** Every route of the hub. The server, the OpenAPI document and the tests are made of this list. */
export const routes: readonly Route[] = [
  health,
  proof,
  status,
  ingest,
  decide,
  events,
  event,
  stream,
  sessions,
  handlers,
  sinks,
  sources,
  metrics,
  openapi,
  agentHook,
  approvals,
  answerApproval,
  selftest,
  rotateToken,
  stop,
];
