import { CONFIRM_HEADER } from "../../../hookline/src/hub/protocol.js";
import type {
  AlarmsAnswer,
  AlwaysAnswer,
  AnsweredAnswer,
  ApprovalsAnswer,
  BacktestAnswer,
  ConfirmNeeded,
  EnrolOptionsAnswer,
  ErrorAnswer,
  EventAnswer,
  EventsAnswer,
  FaultsAnswer,
  FleetAnswer,
  FleetAuditAnswer,
  FleetQuestionsAnswer,
  HandlerRow,
  HandlersAnswer,
  MeAnswer,
  OverviewAnswer,
  PasskeyAssertion,
  PasskeyLoginAnswer,
  PasskeyOptionsAnswer,
  PauseAnswer,
  PhoneAnswer,
  PhoneCodeAnswer,
  PhoneLinkAnswer,
  PolicyAnswer,
  ProtectAnswer,
  SessionsAnswer,
  SignInOptionsAnswer,
  SignInWaysAnswer,
  SourcesAnswer,
  StatusAnswer,
  SteerAnswer,
  SuggestionsAnswer,
  TimelineAnswer,
  TrialAnswer,
  UsageAnswer,
} from "./answers.js";
import { ApiError } from "./api-error.js";
import type { Unconfirmed } from "./confirm.js";
import { keyHeader } from "./page-key.js";

interface Answer {
  readonly verdict: "allow" | "deny";
  readonly hash: string;
  readonly reason?: string;
  readonly payload?: unknown;
  readonly always?: true;
}

/** Whose handler is meant: rules share an owner and go by their names. */
export interface HandlerRef {
  readonly owner: string;
  readonly name?: string;
}

/** The page does not know who sits before it. */
const BY = "a person at the page";

function steer(session: string, kind: "inject" | "remind", body: object): Promise<SteerAnswer> {
  return askHub<SteerAnswer>(`/api/sessions/${encodeURIComponent(session)}/${kind}`, { body: { by: BY, ...body } });
}

/** Everything the page asks of the hub, but for the stream. */
export const hub = {
  me: () => askHub<MeAnswer>("/api/me"),
  logout: () => askHub<unknown>("/api/logout", { body: {} }),
  status: () => askHub<StatusAnswer>("/api/status"),
  pause: () => askHub<PauseAnswer>("/api/pause"),
  resume: () => askHub<unknown>("/api/resume", { body: { by: "a person at the page" } }),
  alarms: () => askHub<AlarmsAnswer>("/api/alarms"),
  acknowledge: (ids: readonly string[]) => askHub<unknown>("/api/alarms/acknowledge", { body: { ids, by: BY } }),
  policy: () => askHub<PolicyAnswer>("/api/policy"),
  acceptPolicy: (id: string, digest: string) => askHub<unknown>("/api/policy/accept", { body: { changes: [{ id, digest }] } }),
  faults: () => askHub<FaultsAnswer>("/api/faults"),
  events: (query: string, signal?: AbortSignal) => askHub<EventsAnswer>(`/api/events?${query}`, signal && { signal }),
  event: (id: string) => askHub<EventAnswer>(`/api/events/${encodeURIComponent(id)}`),
  sessions: (of: { readonly host?: string; readonly since?: string } = {}) =>
    askHub<SessionsAnswer>(`/api/sessions?${new URLSearchParams({ limit: "500", ...of })}`),
  timeline: (session: string) => askHub<TimelineAnswer>(`/api/sessions/${encodeURIComponent(session)}/timeline?limit=10000`),
  // Only the hub's own events: any process that may send events could report others.
  steered: (session: string) =>
    askHub<EventsAnswer>(`/api/events?${new URLSearchParams({ session, event: "session:steer", source: "hookline-hub", limit: "300" })}`),
  inject: (session: string, message: { readonly text: string; readonly interrupt: boolean }) => steer(session, "inject", message),
  remind: (session: string, reminder: { readonly body: string; readonly ttlTurns?: number }) => steer(session, "remind", reminder),
  handlers: (minutes = 60) => askHub<HandlersAnswer>(`/api/handlers?minutes=${minutes}`),
  handlersOf: (instance: string, minutes = 60) =>
    askHub<{ readonly handlers: readonly HandlerRow[] }>(`/api/sources/${encodeURIComponent(instance)}/handlers?minutes=${minutes}`),
  switchHandler: ({ owner, ...rule }: HandlerRef, enabled: boolean) =>
    askHub<unknown>(`/api/handlers/${encodeURIComponent(owner)}`, { body: { enabled, ...rule } }),
  testHandler: (ref: HandlerRef, event: string) => askHub<TrialAnswer>("/api/handlers/test", { body: { ...ref, event } }),
  backtest: (which: { readonly rules: string } | { readonly name: string }, signal?: AbortSignal) =>
    askHub<BacktestAnswer>("/api/rules/backtest", { body: which, ...(signal && { signal }) }),
  suggestions: () => askHub<SuggestionsAnswer>("/api/rules/suggestions"),
  addSuggestion: (name: string) => askHub<unknown>(`/api/rules/suggestions/${encodeURIComponent(name)}`, { body: {} }),
  sources: () => askHub<SourcesAnswer>("/api/sources"),
  overview: (minutes: number) => askHub<OverviewAnswer>(`/api/overview?minutes=${minutes}`),
  usage: (by: UsageAnswer["by"], since: string) => askHub<UsageAnswer>(`/api/usage?${new URLSearchParams({ by, since })}`),
  approvals: (cursor?: number) => askHub<ApprovalsAnswer>(`/api/approvals${cursor === undefined ? "" : `?cursor=${cursor}`}`),
  answer: (id: string, answer: Answer) => askHub<unknown>(`/api/approvals/${encodeURIComponent(id)}`, { body: { by: BY, ...answer } }),
  answered: (limit: number, cursor?: number) =>
    askHub<AnsweredAnswer>(`/api/approvals/answered?limit=${limit}${cursor === undefined ? "" : `&cursor=${cursor}`}`),
  always: () => askHub<AlwaysAnswer>("/api/approvals/always"),
  forget: (hash: string) => askHub<unknown>(`/api/approvals/always/${encodeURIComponent(hash)}/forget`, { body: {} }),
  protect: () => askHub<ProtectAnswer>("/api/protect"),
  passkeyOptions: () => askHub<PasskeyOptionsAnswer>("/api/protect/passkey", { body: {} }),
  protectOn: (given: object) => askHub<ProtectAnswer>("/api/protect/on", { body: given }),
  addFactor: (given: object) => askHub<ProtectAnswer>("/api/protect/factors", { body: given }),
  removeFactor: (which: { readonly passkey?: string }) => askHub<ProtectAnswer>("/api/protect/factors/remove", { body: which }),
  renewRecovery: (recovery: object) => askHub<ProtectAnswer>("/api/protect/recovery", { body: { recovery } }),
  phone: () => askHub<PhoneAnswer>("/api/phone"),
  phonePasskeyOptions: () => askHub<PasskeyOptionsAnswer>("/api/phone/passkey/options", { body: {} }),
  proposePhone: (given: { readonly name: string; readonly response: object }) =>
    askHub<PhoneCodeAnswer>("/api/phone/passkey", { body: given }),
  openAnswerLink: (token: string) => askHub<PhoneLinkAnswer>("/api/phone/link", { body: { token } }),
  subscribePush: (given: object) => askHub<PhoneAnswer>("/api/phone/push", { body: given }),
  unsubscribePush: (endpoint: string) => askHub<PhoneAnswer>("/api/phone/push/remove", { body: { endpoint } }),
  protectOff: () => askHub<ProtectAnswer>("/api/protect/off", { body: {} }),
  demo: () => askHub<unknown>("/api/demo", { body: {} }),
  fleet: () => askHub<FleetAnswer>("/api/fleet"),
  fleetQuestions: () => askHub<FleetQuestionsAnswer>("/api/fleet/questions"),
  answerFleet: (given: { readonly statement: string; readonly response?: PasskeyAssertion }) =>
    askHub<unknown>("/api/fleet/questions/answer", { body: given }),
  fleetAudit: () => askHub<FleetAuditAnswer>("/api/fleet/audit?limit=500"),
  signInWays: () => askHub<SignInWaysAnswer>("/api/sign-in"),
  signInOptions: () => askHub<SignInOptionsAnswer>("/api/sign-in/options", { body: {} }),
  signIn: (response: PasskeyAssertion) => askHub<PasskeyLoginAnswer>("/api/sign-in", { body: { response } }),
  enrolOptions: (id: string) => askHub<EnrolOptionsAnswer>("/api/fleet/enrol/options", { body: { id } }),
  enrol: (given: object) => askHub<unknown>("/api/fleet/enrol", { body: given }),
};

/** Shows a person what a request does, and gives the header that confirms it. */
type ConfirmAsker = (needed: ConfirmNeeded, request: Unconfirmed, again: () => Promise<ConfirmNeeded>) => Promise<string>;
let confirm: ConfirmAsker | undefined;

/** How requests are confirmed under `hookline protect`. */
export function confirmWith(asker: ConfirmAsker): void {
  confirm = asker;
}

interface AskOptions {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** One question to the hub: GET, or POST when there is a body. Throws `ApiError`. */
async function askHub<T>(path: string, { body, signal }: AskOptions = {}): Promise<T> {
  const text = body && JSON.stringify(body);
  const method = body === undefined ? "GET" : "POST";
  const sendWith = async (more: { readonly [name: string]: string } = {}) => {
    const answer = await send(path, {
      method,
      credentials: "same-origin",
      headers: { ...keyHeader(), ...(body !== undefined && { "Content-Type": "application/json" }), ...more },
      ...(text !== undefined && { body: text }),
      ...(signal !== undefined && { signal }),
    });
    return { answer, told: await readJson(answer) };
  };
  const first = await sendWith();
  const needed = errorIn(first.told)?.confirm;
  if (needed === undefined || confirm === undefined) return contentOf<T>(first);
  const again = async (): Promise<ConfirmNeeded> => {
    const next = await sendWith();
    return errorIn(next.told)?.confirm ?? contentOf<never>(next);
  };
  const header = await confirm(needed, { method, path, body: text ?? "" }, again);
  return contentOf<T>(await sendWith({ [CONFIRM_HEADER]: header }));
}

function contentOf<T>({ answer, told }: { readonly answer: Response; readonly told: unknown }): T {
  if (answer.ok) return told as T;
  throw new ApiError(answer.status, errorIn(told) ?? { code: "HL_UNKNOWN", message: `The hub answered ${answer.status}.` });
}

function errorIn(told: unknown): ErrorAnswer["error"] | undefined {
  return (told as Partial<ErrorAnswer> | undefined)?.error;
}

async function send(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, options);
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause;
    throw new ApiError(0, { code: "HL_UNREACHABLE", message: "The hub cannot be reached.", fix: "Start it: hookline up" });
  }
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}
