import { agentHook } from "./agent-hook.js";
import { alwaysAllowed, forgetAllowed } from "./always-allow.js";
import { answerApproval } from "./answer-approval.js";
import { approvals } from "./approvals.js";
import { asset, loginPage, loginScript, page } from "./dashboard.js";
import { decide } from "./decide.js";
import { demo } from "./demo.js";
import { event } from "./event.js";
import { events } from "./events.js";
import { exportEvents } from "./export.js";
import { faults } from "./faults.js";
import { handlers } from "./handlers.js";
import { health } from "./health.js";
import { ingest } from "./ingest.js";
import { login, loginLink, logout, me } from "./login.js";
import { metrics } from "./metrics.js";
import { openapi } from "./openapi.js";
import { overview } from "./overview.js";
import { pause, paused, resume } from "./pause.js";
import { proof } from "./proof.js";
import { rotateToken } from "./rotate-token.js";
import type { Route } from "./route.js";
import { selftest } from "./selftest.js";
import { sessions } from "./sessions.js";
import { sinks } from "./sinks.js";
import { sourceHandlers } from "./source-handlers.js";
import { sources } from "./sources.js";
import { status } from "./status.js";
import { injectMessage, remindSession } from "./steer.js";
import { stop } from "./stop.js";
import { stream } from "./stream.js";
import { timeline } from "./timeline.js";
import { tools } from "./tools.js";
import { transcripts } from "./transcripts.js";
import { transform } from "./transform.js";
import { tryHandler, turnHandler } from "./turn-handler.js";
import { verify } from "./verify.js";

/** Every route of the hub. The server, the OpenAPI document and the tests are made of this list. */
export const routes: readonly Route[] = [
  health,
  proof,
  login,
  page,
  loginPage,
  loginScript,
  asset,
  loginLink,
  logout,
  me,
  status,
  ingest,
  decide,
  transform,
  events,
  event,
  exportEvents,
  verify,
  transcripts,
  stream,
  overview,
  sessions,
  timeline,
  injectMessage,
  remindSession,
  handlers,
  faults,
  tools,
  tryHandler,
  turnHandler,
  sinks,
  sources,
  sourceHandlers,
  metrics,
  openapi,
  agentHook,
  approvals,
  alwaysAllowed,
  forgetAllowed,
  answerApproval,
  paused,
  pause,
  resume,
  selftest,
  demo,
  rotateToken,
  stop,
];
