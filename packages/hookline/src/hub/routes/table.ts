import { agentHook } from "./agent-hook.js";
import { acknowledgeAlarms, alarms } from "./alarms.js";
import { alwaysAllowed, answerApproval, approvals, forgetAllowed } from "./approvals.js";
import { addSuggestion, backtestRules, ruleSuggestions } from "./backtest.js";
import { demo, rotateToken, stop } from "./control.js";
import { asset, dashboard, loginPage, loginScript } from "./dashboard.js";
import { decide } from "./decide.js";
import { event, events } from "./events.js";
import { exportEvents } from "./export.js";
import { answerFleetQuestion, fleet, fleetAudit, fleetQuestions, followFleet } from "./fleet.js";
import { enrolOptions, enrolPasskey, signInOptions, signInPerson, signInWays } from "./fleet-people.js";
import { pause, paused, resume, selftest } from "./guards.js";
import { handlers, resetRules, sourceHandlers, tools, tryHandler, turnHandler } from "./handlers.js";
import { beginImport, importEvents } from "./import.js";
import { ingest } from "./ingest.js";
import { login, loginLink, logout, me } from "./login.js";
import { openapi } from "./openapi.js";
import { operator } from "./operator.js";
import { overview } from "./overview.js";
import { acceptPolicy, bundle, policy } from "./policy.js";
import {
  addFactor,
  confirmAction,
  passkeyOptions,
  protect,
  protectOff,
  protectOn,
  recover,
  removeFactor,
  renewRecovery,
} from "./protect.js";
import type { Route } from "./route.js";
import { injectMessage, remindSession, sessions, timeline } from "./sessions.js";
import { faults, health, metrics, proof, sinks, sources, status } from "./status.js";
import { stream } from "./stream.js";
import { transform } from "./transform.js";
import { transcripts, verify } from "./verify.js";

/** Every route of the hub. The server, the OpenAPI document, `protocol.ts` and the tests are made from this list. */
export const routes: readonly Route[] = [
  health,
  proof,
  login,
  dashboard,
  loginPage,
  loginScript,
  asset,
  loginLink,
  logout,
  me,
  operator,
  status,
  ingest,
  beginImport,
  importEvents,
  decide,
  transform,
  events,
  event,
  exportEvents,
  verify,
  backtestRules,
  ruleSuggestions,
  addSuggestion,
  transcripts,
  fleet,
  followFleet,
  fleetQuestions,
  answerFleetQuestion,
  fleetAudit,
  signInWays,
  signInOptions,
  signInPerson,
  enrolOptions,
  enrolPasskey,
  stream,
  overview,
  sessions,
  timeline,
  injectMessage,
  remindSession,
  handlers,
  faults,
  alarms,
  acknowledgeAlarms,
  policy,
  bundle,
  acceptPolicy,
  tools,
  tryHandler,
  turnHandler,
  resetRules,
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
  protect,
  passkeyOptions,
  protectOn,
  addFactor,
  removeFactor,
  renewRecovery,
  recover,
  protectOff,
  confirmAction,
  demo,
  rotateToken,
  stop,
];
