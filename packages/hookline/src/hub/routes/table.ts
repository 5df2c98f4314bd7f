import { agentHook } from "./agent-hook.js";
import { acknowledgeAlarms, alarms } from "./alarms.js";
import { alwaysAllowed, answerApproval, answeredApprovals, approvals, forgetAllowed } from "./approvals.js";
import { addSuggestion, backtestRules, ruleSuggestions } from "./backtest.js";
import { demo, handOver, metricsToken, rotateToken, stop } from "./control.js";
import { asset, dashboard, loginPage, loginScript, manifest, worker } from "./dashboard.js";
import { decide } from "./decide.js";
import { event, events } from "./events.js";
import { exportEvents } from "./export.js";
import { answerFleetQuestion, fleet, fleetAudit, fleetQuestions, followFleet } from "./fleet.js";
import { enrolOptions, enrolPasskey } from "./fleet-people.js";
import { pause, paused, resume, selftest } from "./guards.js";
import { handlers, resetRules, sourceHandlers, tools, tryHandler, turnHandler } from "./handlers.js";
import { beginImport, importEvents } from "./import.js";
import { ingest } from "./ingest.js";
import { login, loginLink, logout, me } from "./login.js";
import { notifyTest } from "./notify.js";
import { openapi } from "./openapi.js";
import { operator } from "./operator.js";
import { overview } from "./overview.js";
import {
  acceptPhone,
  openAnswerLink,
  phone,
  phonePasskeyOptions,
  proposePhone,
  removePhone,
  subscribePush,
  unsubscribePush,
} from "./phone.js";
import { acceptPolicy, bundle, bundleRules, policy } from "./policy.js";
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
import { prune } from "./prune.js";
import type { Route } from "./route.js";
import { eraseSession, injectMessage, remindSession, sessions, timeline } from "./sessions.js";
import { signIn, signInOptions, signInWays } from "./sign-in.js";
import { faults, health, metrics, proof, sinks, sources, status } from "./status.js";
import { stream } from "./stream.js";
import { transform } from "./transform.js";
import { usage } from "./usage.js";
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
  manifest,
  worker,
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
  signIn,
  enrolOptions,
  enrolPasskey,
  stream,
  overview,
  usage,
  sessions,
  eraseSession,
  prune,
  timeline,
  injectMessage,
  remindSession,
  handlers,
  faults,
  alarms,
  acknowledgeAlarms,
  policy,
  bundle,
  bundleRules,
  acceptPolicy,
  tools,
  tryHandler,
  turnHandler,
  resetRules,
  sinks,
  notifyTest,
  sources,
  sourceHandlers,
  metrics,
  openapi,
  agentHook,
  approvals,
  answeredApprovals,
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
  phone,
  phonePasskeyOptions,
  proposePhone,
  acceptPhone,
  removePhone,
  openAnswerLink,
  subscribePush,
  unsubscribePush,
  demo,
  rotateToken,
  metricsToken,
  stop,
  handOver,
];
