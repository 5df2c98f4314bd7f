import { type Actor, type Decision, errorText, findEvent, HookError } from "@hookline/core";
import { summarizeDecision } from "@hookline/core/internal/sinks";
import { type DecisionSummary, decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { CANARY_REASON, isCanary } from "../../agents/attach/canary.js";
import { type AgentDecision, type AgentDialect, canDo, type HookReply, PASS, type Translated } from "../../agents/shared/definition.js";
import { NOTHING as NO_REPLY } from "../../agents/shared/hook-reply.js";
import { isFolderPath } from "../../extensions/trust/folder-path.js";
import { findInvocation } from "../../machine/invocation.js";
import type { Approvals } from "../approvals/approvals.js";
import type { ProcessId } from "../auth/processes.js";
import { type SessionEffects, tellingOf } from "../effects/session-effects.js";
import type { AskedEvents } from "../gates/asked-events.js";
import { type Pause, wasPaused } from "../gates/pause.js";
import { isRefusal, refuseNames } from "../ingest/accept.js";
import type { EventPreparer } from "../ingest/event-preparer.js";
import { newId } from "../ingest/new-id.js";
import { createAgentOrigins } from "../ingest/origins.js";
import { HUB_ACTOR } from "../ingest/own-source.js";
import type { Republisher } from "../observers/republish.js";
import type { Gates, Ingest } from "../parts.js";
import { type AgentCall, type AskedCall, bareEvent, senderOf, translateSafely } from "./agent-call.js";
import { type AgentEffects, takeInterrupt, withEffects } from "./agent-effects.js";
import { type Circumstances, envelopeOf, sourceOf } from "./agent-envelope.js";
import { checkLength, fitting, hasRoom, replyTo } from "./agent-reply.js";
import { type ContentFault, faultOf, reasonFor, unreadableIn } from "./call-fault.js";
import { denialText } from "./denial-text.js";
import type { LoadedCommands } from "./loaded-commands.js";
import type { CallReader } from "./read-call.js";
import type { RefusedCounter } from "./refused-counter.js";
import { createRecent, samenessOf } from "./repeated-calls.js";
import { type AgentTransforms, type BuiltPrompt, buildPrompt, transformOutput, withheldOutput } from "./transforms.js";

/** How long an agent waits for observers. What they add later is sent with the session's next event that can carry it. */
const OBSERVERS_MS = 2_000;

export interface AgentCallsOptions {
  readonly dialects: readonly AgentDialect[];
  /** A dialect as it is in the version that is attached. */
  readonly versionOf?: (dialect: AgentDialect) => AgentDialect;
  readonly gates: Gates;
  readonly approvals: Approvals;
  readonly ingest: Ingest;
  readonly preparer: Pick<EventPreparer, "line">;
  readonly reader: Pick<CallReader, "read">;
  readonly asked: Pick<AskedEvents, "add">;
  /** The reminders of sessions, and other text for models that is not sent yet. */
  readonly book: AgentEffects["book"];
  readonly effects: Pick<SessionEffects, "lend" | "leave" | "calm">;
  /** Whether an event has listeners, and which of them answer at once. */
  readonly has: AgentTransforms["has"];
  readonly tell: Republisher["tell"];
  readonly pause: Pick<Pause, "current">;
  /** Why our entries would not work with a file of an agent's settings as it is now. */
  readonly settingsFault: (agent: string, path: string) => string | undefined;
  /** Learns which calls could not be judged, and why. */
  readonly refused?: Pick<RefusedCounter, "count">;
  /** Learns which folders attached agents work in: their projects' settings can switch the hooks off. */
  readonly seeFolder?: (agent: string, folder: string) => void;
  /** Why the hooks of a strict agent may not run in this folder: then none of its calls there passes. */
  readonly silencedIn?: (agent: string, folder: string) => string | undefined;
  /** What calls run before any guard sees it. */
  readonly loaded: LoadedCommands;
  /** The agent's process, if the operating system has shown it. */
  readonly processOf?: (agent: string, session: string | undefined) => ProcessId | undefined;
  readonly onProblem: (text: string) => void;
  /** How long the agent waits for its hook. */
  readonly timeoutOf?: (agent: string, native: string) => number | undefined;
}

/** The hook's answer. */
export interface AgentAnswer {
  readonly reply: HookReply;
  /**
   * Call this when it is known whether the agent received the reply: otherwise its text is sent again later. Only the first call counts.
   */
  settle(isTold: boolean): void;
}

export interface AgentCalls {
  /** Reads the body of a call. */
  readonly read: CallReader["read"];
  find(id: string): AgentDialect | undefined;
  /** How long the agent waits for its hook at this event, if that is known. */
  timeoutOf(agent: string, native: string): number | undefined;
  /**
   * The hook's answer. Every event of the agent is stored, whatever the result. A call that cannot be judged is denied, if the agent lets a
   * hook deny it. Never rejects.
   */
  answer(call: AgentCall, signal: AbortSignal): Promise<AgentAnswer>;
  /** The hook's answer if `answer` came too late or was too long. `answer` has already recorded the call. */
  denial(call: AgentCall, error: unknown): HookReply;
  /** Records what was answered a moment ago. */
  flush(): void;
}

/** Answers the hooks of attached agents: translates the event, lets the guards decide, and replies in the agent's dialect. */
export function createAgentCalls({
  dialects,
  gates,
  approvals,
  ingest,
  preparer,
  reader,
  asked: askedEvents,
  book,
  effects,
  has,
  tell,
  pause,
  settingsFault,
  refused: counter,
  seeFolder = () => {},
  silencedIn = () => undefined,
  loaded,
  processOf,
  onProblem,
  timeoutOf = () => undefined,
  versionOf = (dialect) => dialect,
}: AgentCallsOptions): AgentCalls {
  const transforms: AgentTransforms = { gates, has };
  const originOf = createAgentOrigins();
  // Calls that passed during a pause are judged when guards are on again.
  const recent = createRecent<Settled>(({ isPaused = false }) => !isPaused || pause.current() !== undefined);

  async function decide(
    dialect: AgentDialect,
    { event, payload }: Translated,
    eventId: string,
    signal: AbortSignal,
  ): Promise<Decision | undefined> {
    if (findEvent(event)?.spec.kind !== "gate") return undefined;
    const source = sourceOf(dialect);
    const approver = approvals.approverFor({ source, asked: payload, eventId });
    const decision = await gates.decide({ event, payload, source, eventId, approver }, signal);
    return wasPaused(decision) ? decision : loaded.decide(decision, { event, payload }, { approver, signal });
  }

  function lineOf(made: Envelope): string | Promise<string> {
    const pid = processOf?.(made.source.app, made.session?.id)?.pid;
    return preparer.line(pid === undefined ? made : { ...made, source: { ...made.source, pid } });
  }

  // The agent waits for its answer, and a record takes as long as a decision: events are recorded after the answer, in their order.
  let unrecorded: (() => void)[] = [];

  function record(envelope: Envelope, line?: string | Promise<string>): void {
    if (unrecorded.length === 0) setImmediate(flush);
    unrecorded.push(() => {
      const made = line ?? lineOf(envelope);
      if (typeof made === "string") put(made, envelope);
      else made.then((text) => put(text, envelope)).catch(tellUnstored);
    });
  }

  function flush(): void {
    const due = unrecorded;
    unrecorded = [];
    for (const one of due) {
      try {
        one();
      } catch (error) {
        tellUnstored(error);
      }
    }
  }

  function put(line: string, { source, session }: Envelope): void {
    const accepted = ingest.acceptMade(line, originOf(source.app, processOf?.(source.app, session?.id)));
    if (isRefusal(accepted)) return onProblem(`An event of ${source.app} was not stored: ${accepted.reason}`);
    ingest.append([accepted]).catch(tellUnstored);
  }

  const tellUnstored = (error: unknown): void => onProblem(errorText(error));

  async function settle(call: AskedCall, signal: AbortSignal): Promise<Settled> {
    const { dialect, native, asked } = call;
    const [at, id] = [new Date().toISOString(), newId()];
    const unnamed = refuseNames(envelopeOf(dialect, asked, { id, at }));
    if (unnamed !== undefined) return refuse(call, faultOf(unnamed));
    const lent = takeInterrupt(dialect.id, asked, effects);
    if (lent !== undefined)
      return {
        ...deny(dialect, asked, {
          reason: lent.injections.join("\n\n"),
          actor: { kind: "person", name: lent.by ?? "operator", at: "hub" },
        }),
        settle: lent.settle,
      };
    const decision = await decide(dialect, asked, id, signal);
    if (decision === undefined) return observed(call, { id, at });
    const told = await buildPrompt(heard(decision, call, id), call, transforms);
    checkLength(replyTo(call, told));
    const envelope = envelopeOf(dialect, asked, { id, at, payload: decision.payload, decision: summaryOf(decision, told, asked) });
    record(envelope);
    if (told.verdict === "deny") recordBlocked(dialect, asked, at);
    else if (!canInject(dialect, native)) effects.leave(envelope, { injections: told.injections, reminders: [] });
    return { decision: told, isPaused: wasPaused(decision) };
  }

  /** An event that has happened cannot be decided, but the model may receive a new output and injected text. */
  async function observed(call: AskedCall, { id, at }: Required<Pick<Circumstances, "id" | "at">>): Promise<Settled> {
    const { dialect, native } = call;
    const { asked, output, injections } = await transformOutput(call, transforms);
    const envelope = envelopeOf(dialect, asked, { id, at });
    const line = canInject(dialect, native) && has(asked.event) ? lineOf(envelope) : undefined;
    const telling = line === undefined ? undefined : tellObservers(line);
    record(envelope, line);
    const decision = { ...PASS, injections: [...injections, ...((await telling) ?? [])] };
    return { decision: output === undefined ? decision : fitting({ ...decision, output }, call) };
  }

  async function tellObservers(line: string | Promise<string>): Promise<readonly string[]> {
    const envelope = decodeEnvelope(await line);
    const telling = tell(envelope);
    const told = await waitAtMost(OBSERVERS_MS, telling);
    if (told === undefined) void telling.then((late) => effects.leave(envelope, tellingOf(late)));
    else effects.leave(envelope, { ...tellingOf(told), injections: [] });
    return told?.injections ?? [];
  }

  /** No agent reports the end of a call that never began. */
  function recordBlocked(dialect: AgentDialect, { event, payload }: Translated, at: string): void {
    if (event === "tool:before") record(envelopeOf(dialect, { event: "tool:after", payload: { ...payload, status: "blocked" } }, { at }));
  }

  /** No guard runs, and the record says why. If the agent does not accept a deny there, it gets an empty reply. */
  function refuse({ dialect, native, asked }: AskedCall, fault: ContentFault): Settled {
    const at = new Date().toISOString();
    const { event, payload } = refuseNames(envelopeOf(dialect, asked, { at })) === undefined ? asked : bareEvent(dialect, native);
    const refused = { event, payload: { ...payload, refused: { code: fault.code, reason: fault.message } } };
    counter?.count({ agent: dialect.id, event: native, code: fault.code, message: fault.message });
    if (!canBlock(dialect, native)) {
      record(envelopeOf(dialect, refused, { at }));
      const output = withheldOutput({ dialect, native, asked }, transforms, fault.message);
      return output === undefined ? {} : { decision: { ...PASS, output } };
    }
    return deny(dialect, refused, { reason: reasonFor(fault), actor: HUB_ACTOR, cause: fault.code });
  }

  /** The decision is made here without the guards, which must not judge it later either. */
  function deny(dialect: AgentDialect, asked: Translated, why: Denial): Settled {
    const at = new Date().toISOString();
    const id = newId();
    askedEvents.add(id);
    record(
      envelopeOf(dialect, asked, { id, at, decision: { verdict: "deny", by: why.actor.name, ...why, modified: false, endLoop: false } }),
    );
    recordBlocked(dialect, asked, at);
    return { decision: { ...PASS, verdict: "deny", reason: why.reason } };
  }

  /** Pending text for the model is sent with it, if there is room. */
  function withWaiting(call: AskedCall, { decision, settle = () => {} }: Settled): AgentAnswer {
    if (decision === undefined) return answerOf(replyTo(call, PASS));
    const telling = withEffects(decision, call.asked, { app: call.dialect.id, book, effects, isHeard: hearsMore(call, decision) });
    try {
      const reply = replyTo(call, telling.decision);
      if (telling.decision === decision || hasRoom(reply)) return answerOf(reply, telling.settle, settle);
    } catch (error) {
      telling.settle(false);
      settle(false);
      throw error;
    }
    telling.settle(false);
    return answerOf(replyTo(call, decision), settle);
  }

  async function answer(call: AgentCall, signal: AbortSignal): Promise<AgentAnswer> {
    const dialect = senderOf(call, dialects);
    const { native } = call;
    let asked = bareEvent(dialect, native);
    try {
      asked = loaded.find(dialect, dialect.translate(native, call.payload));
      if (isCanary(asked.payload)) return answerOf(replyTo({ dialect, native, asked }, CANARY_DENIED));
      if (isFolderPath(asked.payload.cwd)) seeFolder(dialect.id, asked.payload.cwd);
      const kept = keepSettings({ dialect, native, asked });
      if (kept !== undefined) return answerOf(kept);
      const fault = call.fault ?? unreadableIn(dialect, native, asked) ?? silencedFault(dialect, asked);
      const settled =
        fault === undefined
          ? await recent.once(samenessOf(call, dialect, asked), () => settle({ dialect, native, asked }, signal))
          : refuse({ dialect, native, asked }, fault);
      return withWaiting({ dialect, native, asked }, settled);
    } catch (error) {
      return answerOf(failed({ dialect, native, asked }, error));
    }
  }

  /** A hook that arrives does not show that the others do. */
  function silencedFault({ id }: AgentDialect, { event, payload: { cwd } }: Translated): ContentFault | undefined {
    if (event !== "tool:before" || !isFolderPath(cwd)) return undefined;
    const message = silencedIn(id, cwd);
    return message === undefined ? undefined : { code: "HL_AGENT_FILE", message, fix: { run: `hookline attach ${id} --check` } };
  }

  /** A running session keeps its hooks if the file that it is about to use would switch them off. */
  function keepSettings({ dialect, native, asked: { event, payload } }: AskedCall): HookReply | undefined {
    const { settingsChange, id } = dialect;
    if (settingsChange?.native !== native || typeof payload.target !== "string") return undefined;
    const fault = settingsFault(id, payload.target);
    if (fault === undefined) return undefined;
    const reason = `Hookline keeps this session's settings: ${fault}`;
    record(envelopeOf(dialect, { event, payload: { ...payload, status: "blocked", reason } }, { at: new Date().toISOString() }));
    return settingsChange.refuse(reason);
  }

  /** The hub itself failed, which must not let the call pass. */
  function failed({ dialect, native, asked }: AskedCall, error: unknown): HookReply {
    tellFailure(dialect, native, error);
    const { decision } = refuse({ dialect, native, asked }, faultOf(error));
    if (decision === undefined) return NO_REPLY;
    // Replacing an output depends on the tool. A deny does not, and the call itself may have caused the failure.
    return replyTo({ dialect, native, asked: decision.output === undefined ? bareEvent(dialect, native) : asked }, decision);
  }

  /** Otherwise the model would see the output of a call that no transform has seen. */
  function withheldReply(call: AskedCall, error: unknown): HookReply {
    const output = withheldOutput(call, transforms, faultOf(error).message);
    return output === undefined ? NO_REPLY : replyTo(call, { ...PASS, output });
  }

  function tellFailure({ id }: AgentDialect, native: string, error: unknown): void {
    onProblem(`A call of ${id} (${native}) could not be decided: ${errorText(error)}`);
  }

  return {
    read: reader.read,
    find(id) {
      const found = dialects.find((dialect) => dialect.id === id);
      return found && versionOf(found);
    },
    timeoutOf,
    answer,
    flush,
    denial(call, error) {
      const { native } = call;
      const dialect = senderOf(call, dialects);
      if (!canBlock(dialect, native)) return withheldReply({ dialect, native, asked: translateSafely(dialect, call) }, error);
      // A client with an old key could fill the log.
      if (!(error instanceof HookError && error.code === "HL_UNAUTHORIZED")) tellFailure(dialect, native, error);
      const denied: AgentDecision = { ...PASS, verdict: "deny", reason: reasonFor(faultOf(error)) };
      return replyTo({ dialect, native, asked: bareEvent(dialect, native) }, denied);
    },
  };
}

/** What the user of this hub types: in the agent, in whatever folder it works. */
const COMMAND = findInvocation(process.env).anywhere;

interface Denial {
  readonly reason: string;
  readonly actor: Actor;
  readonly cause?: string;
}

/** The agent's reply. Undefined if the agent accepts none. */
interface Settled {
  readonly decision?: AgentDecision;
  readonly isPaused?: boolean;
  /** The length of the injected text. */
  readonly settle?: AgentAnswer["settle"];
}

function answerOf(reply: HookReply, ...told: readonly AgentAnswer["settle"][]): AgentAnswer {
  let isSettled = false;
  return {
    reply,
    settle(isTold) {
      if (!isSettled) for (const settle of told) settle(isTold);
      isSettled = true;
    },
  };
}

/** Not a real event: it shows that the agent can reach the hub and receive its answer. */
const CANARY_DENIED: AgentDecision = { ...PASS, verdict: "deny", reason: CANARY_REASON };

function canBlock(dialect: AgentDialect, native: string): boolean {
  return canDo(dialect, native, "block");
}

function canInject(dialect: AgentDialect, native: string): boolean {
  return canDo(dialect, native, "inject");
}

/** With most agents a deny cannot carry anything else; a new output can. */
function hearsMore({ dialect, native, asked }: AskedCall, decision: AgentDecision): boolean {
  if (!canInject(dialect, native)) return false;
  return decision.output !== undefined || dialect.reply(native, decision, asked).exitCode === 0;
}

/** A prompt that was allowed but could not be built is recorded as denied. */
function summaryOf(decision: Decision, told: BuiltPrompt, { payload }: Translated): DecisionSummary {
  const summary = summarizeDecision(decision, payload, "hub");
  if (told.verdict === decision.verdict || told.reason === undefined) return summary;
  const actor: Actor = told.deniedBy === undefined ? HUB_ACTOR : { ...told.deniedBy, at: "hub" };
  return { ...summary, verdict: told.verdict, reason: told.reason, by: actor.name, actor };
}

/**
 * Reminders of a guard are sent with the answer. At the start of a turn, or if the event cannot carry text, the stored reminders are used.
 */
function heard(decision: Decision, { dialect, native, asked: { event } }: AskedCall, id: string): AgentDecision {
  const { verdict, payload, modified, endLoop, again } = decision;
  const reason = verdict === "deny" ? denialText(decision, id, COMMAND) : decision.reason;
  const isBooked = event === "prompt:submit" || event === "session:start" || !canInject(dialect, native);
  const reminders = isBooked ? [] : decision.reminders.map(({ spec }) => spec.body);
  return { verdict, reason, payload, modified, endLoop, again, injections: [...decision.injections, ...reminders] };
}

/** The result. Undefined if it takes longer. */
async function waitAtMost<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
