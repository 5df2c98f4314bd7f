import type { Envelope } from "@hookline/core/sinks";
import { expect, it } from "vitest";
import type * as hub from "../../packages/hookline/src/hub/protocol.ts";
import { acknowledgeAlarms, alarms } from "../../packages/hookline/src/hub/routes/alarms.ts";
import {
  alwaysAllowed,
  answerApproval,
  answeredApprovals,
  approvals,
  forgetAllowed,
} from "../../packages/hookline/src/hub/routes/approvals.ts";
import { addSuggestion, backtestRules, ruleSuggestions } from "../../packages/hookline/src/hub/routes/backtest.ts";
import { demo, handOver, metricsToken, rotateToken, stop } from "../../packages/hookline/src/hub/routes/control.ts";
import { decide } from "../../packages/hookline/src/hub/routes/decide.ts";
import { event, events } from "../../packages/hookline/src/hub/routes/events.ts";
import { answerFleetQuestion, fleet, fleetAudit, fleetQuestions, followFleet } from "../../packages/hookline/src/hub/routes/fleet.ts";
import { enrolOptions, enrolPasskey } from "../../packages/hookline/src/hub/routes/fleet-people.ts";
import { pause, paused, resume, selftest } from "../../packages/hookline/src/hub/routes/guards.ts";
import { handlers, resetRules, sourceHandlers, tools, tryHandler, turnHandler } from "../../packages/hookline/src/hub/routes/handlers.ts";
import { beginImport, importEvents } from "../../packages/hookline/src/hub/routes/import.ts";
import { ingest } from "../../packages/hookline/src/hub/routes/ingest.ts";
import { login, loginLink, logout, me } from "../../packages/hookline/src/hub/routes/login.ts";
import { notifyTest } from "../../packages/hookline/src/hub/routes/notify.ts";
import { openapi } from "../../packages/hookline/src/hub/routes/openapi.ts";
import { operator } from "../../packages/hookline/src/hub/routes/operator.ts";
import { overview } from "../../packages/hookline/src/hub/routes/overview.ts";
import {
  acceptPhone,
  openAnswerLink,
  phone,
  phonePasskeyOptions,
  proposePhone,
  removePhone,
  subscribePush,
  unsubscribePush,
} from "../../packages/hookline/src/hub/routes/phone.ts";
import { acceptPolicy, bundle, bundleRules, policy } from "../../packages/hookline/src/hub/routes/policy.ts";
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
} from "../../packages/hookline/src/hub/routes/protect.ts";
import { prune } from "../../packages/hookline/src/hub/routes/prune.ts";
import type { Route } from "../../packages/hookline/src/hub/routes/route.ts";
import { contract, errorAnswer } from "../../packages/hookline/src/hub/routes/schemas.ts";
import {
  eraseSession,
  injectMessage,
  remindSession,
  sessions,
  steerRecord,
  timeline,
} from "../../packages/hookline/src/hub/routes/sessions.ts";
import { signIn, signInOptions, signInWays } from "../../packages/hookline/src/hub/routes/sign-in.ts";
import { faults, health, proof, sinks, sources, status } from "../../packages/hookline/src/hub/routes/status.ts";
import { stream } from "../../packages/hookline/src/hub/routes/stream.ts";
import { routes } from "../../packages/hookline/src/hub/routes/table.ts";
import { transform } from "../../packages/hookline/src/hub/routes/transform.ts";
import { usage } from "../../packages/hookline/src/hub/routes/usage.ts";
import { keptHead, transcripts, verify } from "../../packages/hookline/src/hub/routes/verify.ts";

type Schema = NonNullable<Route["answer"]["body"]>;

/**
 * The same type, with all its fields read-only and written out, as the generator writes them. `Route` adds an index signature to each body and
 * a loose object has one. It is left out beside named fields. JSON has no `undefined`: it is left out, too.
 */
type Plain<T> = T extends readonly (infer E)[]
  ? readonly Plain<E>[]
  : T extends object
    ? [keyof Named<T>] extends [never]
      ? { readonly [K in keyof T]: Plain<Exclude<T[K], undefined>> }
      : { readonly [K in keyof Named<T>]: Plain<Exclude<Named<T>[K], undefined>> }
    : T;
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

/** True only if no field of either type is missing, optional or of another type in the other. Assignability alone ignores optional fields. */
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** Does not compile if the interface of protocol.ts is not the type of the schema, as clients write (bodies) or read it (answers). */
function equal<T>() {
  return <S extends Schema>(
    schema: S | undefined,
    ..._: Same<S["_zod"]["input"], T> extends true ? [] : [differs: { readonly schema: S["_zod"]["input"]; readonly protocol: T }]
  ): Schema | undefined => schema;
}

const checked = [
  equal<hub.ErrorAnswer>()(errorAnswer),
  equal<hub.HealthAnswer>()(health.answer.body),
  equal<hub.ProofAnswer>()(proof.answer.body),
  equal<hub.LoginRequest>()(login.body),
  equal<hub.LoginAnswer>()(login.answer.body),
  equal<hub.LinkRequest>()(loginLink.body),
  equal<hub.LinkAnswer>()(loginLink.answer.body),
  equal<hub.LogoutRequest>()(logout.body),
  equal<hub.LogoutAnswer>()(logout.answer.body),
  equal<hub.MeAnswer>()(me.answer.body),
  equal<hub.OperatorRequest>()(operator.body),
  equal<hub.OperatorAnswer>()(operator.answer.body),
  equal<hub.StatusAnswer>()(status.answer.body),
  equal<hub.HermesFrame | Envelope>()(ingest.rawBody?.["application/json"]),
  equal<hub.IngestAnswer>()(ingest.answer.body),
  equal<hub.ImportRequest>()(beginImport.body),
  equal<hub.ImportBegun>()(beginImport.answer.body),
  equal<hub.ImportAnswer>()(importEvents.answer.body),
  equal<hub.DecideRequest>()(decide.body),
  equal<hub.DecideAnswer>()(decide.answer.body),
  equal<hub.TransformRequest>()(transform.body),
  equal<hub.TransformAnswer>()(transform.answer.body),
  equal<hub.EventsAnswer>()(events.answer.body),
  equal<hub.EventAnswer>()(event.answer.body),
  equal<hub.VerifyAnswer>()(verify.answer.body),
  equal<hub.TranscriptHeadsAnswer>()(transcripts.answer.body),
  equal<hub.FleetAnswer>()(fleet.answer.body),
  equal<hub.FollowFleetRequest>()(followFleet.body),
  equal<hub.FollowFleetAnswer>()(followFleet.answer.body),
  equal<hub.NotifyTestRequest>()(notifyTest.body),
  equal<hub.NotifyTestAnswer>()(notifyTest.answer.body),
  equal<hub.BundleRulesAnswer>()(bundleRules.answer.body),
  equal<hub.FleetQuestionsAnswer>()(fleetQuestions.answer.body),
  equal<hub.FleetAnswerRequest>()(answerFleetQuestion.body),
  equal<hub.FleetAnswerAnswer>()(answerFleetQuestion.answer.body),
  equal<hub.FleetAuditAnswer>()(fleetAudit.answer.body),
  equal<hub.SignInWaysAnswer>()(signInWays.answer.body),
  equal<hub.SignInOptionsAnswer>()(signInOptions.answer.body),
  equal<hub.PasskeyLoginRequest>()(signIn.body),
  equal<hub.PasskeyLoginAnswer>()(signIn.answer.body),
  equal<hub.PhoneAnswer>()(phone.answer.body),
  equal<hub.PasskeyOptionsAnswer>()(phonePasskeyOptions.answer.body),
  equal<hub.ProposePhoneRequest>()(proposePhone.body),
  equal<hub.PhoneCodeAnswer>()(proposePhone.answer.body),
  equal<hub.AcceptPhoneRequest>()(acceptPhone.body),
  equal<hub.PhoneAnswer>()(acceptPhone.answer.body),
  equal<hub.RemovePhoneRequest>()(removePhone.body),
  equal<hub.PhoneAnswer>()(removePhone.answer.body),
  equal<hub.PhoneLinkRequest>()(openAnswerLink.body),
  equal<hub.PhoneLinkAnswer>()(openAnswerLink.answer.body),
  equal<hub.SubscribePushRequest>()(subscribePush.body),
  equal<hub.PhoneAnswer>()(subscribePush.answer.body),
  equal<hub.UnsubscribePushRequest>()(unsubscribePush.body),
  equal<hub.PhoneAnswer>()(unsubscribePush.answer.body),
  equal<hub.EnrolOptionsRequest>()(enrolOptions.body),
  equal<hub.EnrolOptionsAnswer>()(enrolOptions.answer.body),
  equal<hub.EnrolRequest>()(enrolPasskey.body),
  equal<hub.EnrolAnswer>()(enrolPasskey.answer.body),
  equal<hub.StreamHello>()(stream.answer.events.hello),
  equal<Envelope>()(stream.answer.events.hook),
  equal<hub.StreamApproval>()(stream.answer.events.approval),
  equal<hub.StreamCurrent>()(stream.answer.events.current),
  equal<hub.StreamBye>()(stream.answer.events.bye),
  equal<hub.OverviewAnswer>()(overview.answer.body),
  equal<hub.UsageAnswer>()(usage.answer.body),
  equal<hub.SessionsAnswer>()(sessions.answer.body),
  equal<hub.TimelineAnswer>()(timeline.answer.body),
  equal<hub.InjectRequest>()(injectMessage.body),
  equal<hub.SteerAnswer>()(injectMessage.answer.body),
  equal<hub.RemindRequest>()(remindSession.body),
  equal<hub.SteerAnswer>()(remindSession.answer.body),
  equal<hub.HandlersAnswer>()(handlers.answer.body),
  equal<hub.FaultsAnswer>()(faults.answer.body),
  equal<hub.AlarmsAnswer>()(alarms.answer.body),
  equal<hub.AcknowledgeRequest>()(acknowledgeAlarms.body),
  equal<hub.AcknowledgeAnswer>()(acknowledgeAlarms.answer.body),
  equal<hub.PolicyAnswer>()(policy.answer.body),
  equal<hub.BundleStatus>()(bundle.answer.body),
  equal<hub.PolicyAcceptRequest>()(acceptPolicy.body),
  equal<hub.PolicyAcceptAnswer>()(acceptPolicy.answer.body),
  equal<hub.ToolsAnswer>()(tools.answer.body),
  equal<hub.TrialRequest>()(tryHandler.body),
  equal<hub.TrialAnswer>()(tryHandler.answer.body),
  equal<hub.SwitchRequest>()(turnHandler.body),
  equal<hub.SwitchAnswer>()(turnHandler.answer.body),
  equal<hub.RulesResetRequest>()(resetRules.body),
  equal<hub.RulesResetAnswer>()(resetRules.answer.body),
  equal<hub.SinksAnswer>()(sinks.answer.body),
  equal<hub.SourcesAnswer>()(sources.answer.body),
  equal<hub.SourceHandlersAnswer>()(sourceHandlers.answer.body),
  equal<hub.OpenApiDocument>()(openapi.answer.body),
  equal<hub.ApprovalsAnswer>()(approvals.answer.body),
  equal<hub.AnsweredAnswer>()(answeredApprovals.answer.body),
  equal<hub.AlwaysAnswer>()(alwaysAllowed.answer.body),
  equal<hub.EmptyRequest>()(forgetAllowed.body),
  equal<hub.ForgetAnswer>()(forgetAllowed.answer.body),
  equal<hub.AnswerApprovalRequest>()(answerApproval.body),
  equal<hub.AnswerApprovalAnswer>()(answerApproval.answer.body),
  equal<hub.PauseAnswer>()(paused.answer.body),
  equal<hub.PauseRequest>()(pause.body),
  equal<hub.PauseAnswer>()(pause.answer.body),
  equal<hub.ResumeRequest>()(resume.body),
  equal<hub.ResumeAnswer>()(resume.answer.body),
  equal<hub.EmptyRequest>()(selftest.body),
  equal<hub.SelftestAnswer>()(selftest.answer.body),
  equal<hub.EmptyRequest>()(demo.body),
  equal<hub.DemoAnswer>()(demo.answer.body),
  equal<hub.RotateRequest>()(rotateToken.body),
  equal<hub.RotateAnswer>()(rotateToken.answer.body),
  equal<hub.MetricsTokenAnswer>()(metricsToken.answer.body),
  equal<hub.EmptyRequest>()(stop.body),
  equal<hub.StopAnswer>()(stop.answer.body),
  equal<hub.HandOverAnswer>()(handOver.answer.body),
  equal<hub.PruneRequest>()(prune.body),
  equal<hub.PruneAnswer>()(prune.answer.body),
  equal<hub.EraseRequest>()(eraseSession.body),
  equal<hub.EraseAnswer>()(eraseSession.answer.body),
  equal<hub.ProtectAnswer>()(protect.answer.body),
  equal<hub.PasskeyOptionsAnswer>()(passkeyOptions.answer.body),
  equal<hub.ProtectOnRequest>()(protectOn.body),
  equal<hub.ProtectAnswer>()(protectOn.answer.body),
  equal<hub.AddFactorRequest>()(addFactor.body),
  equal<hub.RemoveFactorRequest>()(removeFactor.body),
  equal<hub.RenewRecoveryRequest>()(renewRecovery.body),
  equal<hub.RecoverRequest>()(recover.body),
  equal<hub.EmptyRequest>()(protectOff.body),
  equal<hub.ConfirmRequest>()(confirmAction.body),
  equal<hub.ConfirmAnswer>()(confirmAction.answer.body),
  equal<hub.SteerRecord>()(steerRecord),
  equal<hub.KeptHead>()(keptHead),
  equal<hub.BacktestRequest>()(backtestRules.body),
  equal<hub.BacktestAnswer>()(backtestRules.answer.body),
  equal<hub.SuggestionsAnswer>()(ruleSuggestions.answer.body),
  equal<hub.AddSuggestionRequest>()(addSuggestion.body),
  equal<hub.AddSuggestionAnswer>()(addSuggestion.answer.body),
];

it("checks the type of every body, answer and stream event of the routes", () => {
  const declared = routes.flatMap(({ body, answer }) => [body, answer.body, ...Object.values(answer.events ?? {})]);
  const missing = declared.filter((schema) => schema !== undefined && !checked.includes(schema));
  expect(missing.map((schema) => schema && contract.get(schema)?.id)).toEqual([]);
  expect(checked).not.toContain(undefined);
});
