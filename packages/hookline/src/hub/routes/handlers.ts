import type { HandlerHealth, HandlerInfo, HandlerStats } from "@hookline/core";
import { z } from "zod";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import { type InstalledHook, shownState } from "../../extensions/installed/installed-hook.js";
import { withWindow } from "../handlers/handler-window.js";
import { json } from "../http/answer.js";
import { Refused, refusedAs } from "../http/refused.js";
import type { HandlerControls } from "../parts.js";
import {
  HANDLER_PERCENTILES,
  type HandlersAnswer,
  type HandlerTimes,
  type HookSummary,
  type RulesResetAnswer,
  type SourceHandlersAnswer,
  type SwitchAnswer,
  type ToolsAnswer,
  type TrialAnswer,
} from "../protocol.js";
import { HUB } from "../store/handler-tally.js";
import { within } from "./deadline.js";
import { route } from "./route.js";
import { actor, contract, count, milliseconds, minutes } from "./schemas.js";

const handlerStats = z
  .object({
    calls: count,
    failures: count,
    timeouts: count,
    denies: count,
    p50Ms: milliseconds.optional(),
    p99Ms: milliseconds.optional(),
    lastFiredAt: milliseconds.optional().describe("Milliseconds since 1970."),
    neverFired: z.boolean(),
    suspendedUntil: milliseconds.optional().describe("Milliseconds since 1970."),
  })
  .describe("What a handler did since the start of its process.")
  .register(contract, { id: "HandlerCounts" });

const handlerHealth = z
  .object({ state: z.string(), restarts: count.exactOptional() })
  .describe("How the process behind a handler is doing.")
  .register(contract, { id: "HandlerHealthRow" });

const percentile = milliseconds.optional();
const percentiles = Object.fromEntries(HANDLER_PERCENTILES.map(({ field }) => [field, percentile])) as {
  readonly [field in keyof HandlerTimes]-?: typeof percentile;
};
const handlerWindow = z
  .object({
    calls: count,
    denied: count,
    asked: count,
    failed: count,
    ...percentiles,
  })
  .describe("What a handler did in the minutes that were asked for, by the trails of stored decisions.")
  .register(contract, { id: "HandlerWindow" });

const handlerRow = z
  .object({
    id: count,
    event: z.string(),
    name: z.string(),
    owner: z.string().optional().describe("`rules` for a rule of `hookline.toml`, or the id of a hook."),
    actor,
    description: z.string().optional(),
    path: z.string().optional().describe("The file it comes from."),
    priority: z.number(),
    stage: z.enum(["rewrite", "guard", "observe"]),
    onFailure: z.enum(["open", "closed", "abort"]).describe("What its failure means for the call."),
    timeoutMs: milliseconds,
    once: z.boolean(),
    tool: z.union([z.string(), z.array(z.string())]).optional(),
    match: z.string().optional(),
    permissions: z.array(z.string()).optional(),
    health: handlerHealth.optional(),
    stats: handlerStats.exactOptional(),
    window: handlerWindow.optional(),
    lastAt: milliseconds.optional().describe("The last call, in milliseconds since 1970. Earlier runs of the hub count too."),
    note: z.string().exactOptional().describe("Why it guards nothing: no attached agent has a tool that it is for."),
  })
  .describe("A handler of the hub or of a connected process.")
  .register(contract, { id: "HandlerRow" });

const hookSummary = z
  .object({
    id: z.string().describe("The `owner` of its handlers."),
    name: z.string(),
    kind: z.string(),
    from: z.enum(["fleet", "user", "project"]).describe("`fleet`: a signed bundle."),
    project: z.string().exactOptional().describe("The project's folder."),
    state: z.string(),
    path: z.string().describe("The file or folder it is in."),
    dialect: z.string().exactOptional().describe("How it writes its JSON, if not in Hookline's own dialect."),
    problems: z.array(z.string()).describe("What is wrong with it, and what to do."),
    remarks: z.array(z.string()).exactOptional().describe("How Hookline reads it, where that is not obvious."),
  })
  .register(contract, { id: "HookSummary" });

const ruleSummary = z
  .object({
    name: z.string(),
    enabled: z.boolean().describe("False only for a rule that is switched off."),
    state: z
      .enum(["active", "shadow", "waiting", "disabled", "broken"])
      .describe("`shadow`: it decides nothing, and what it would have said is recorded. `waiting`: a change of it waits for acceptance."),
    path: z.string(),
    problems: z.array(z.string()).describe("Why it is broken, or what waits."),
    remembers: z
      .object({
        condition: z.string().describe("Such as `20 times in 5m per session`."),
        rows: z
          .array(z.object({ of: z.string(), value: z.string().describe("Such as `12 of 20`."), isReached: z.boolean() }))
          .describe("What was counted, the latest first."),
        more: count.describe("How many rows are left out."),
        problem: z.string().exactOptional().describe("Why it cannot be relied on."),
      })
      .exactOptional()
      .describe("For a rule with `count`, `after`, `repeats` or `budget`: what it has seen so far."),
  })
  .register(contract, { id: "RuleSummary" });

const gateRow = z.object({ event: z.string(), onFailure: z.string(), timeoutMs: milliseconds });

export const handlers = route({
  method: "GET",
  path: "/api/handlers",
  scope: "read",
  access: "read",
  summary: "Lists the hub's handlers, hooks and rules with their counters",
  query: z.strictObject({ minutes }),
  answer: {
    description: "The handlers, hooks and rules.",
    body: z
      .object({
        handlers: z.array(handlerRow),
        gates: z.array(gateRow).describe("The events that connected processes ask the hub about."),
        hooks: z.array(hookSummary).describe("All hooks, including those that do not run."),
        rules: z.array(ruleSummary).describe("The rules of `hookline.toml`."),
      })
      .register(contract, { id: "HandlersAnswer" }),
  },
  async handle({ parts: { bus, store, gates, counts, hooks, handlers: controls, knownTools }, query }) {
    const stats = new Map(bus.stats().map((row) => [row.id, counts.add(row)]));
    // `hookline doctor` reports a record that cannot be read. The list does not depend on it.
    const tools = await knownTools().catch((): KnownTools => ({ attached: [], seen: [] }));
    const rows = bus.list().map((info) => toRow(info, stats.get(info.id), noteOn(info, controls, tools)));
    const answer: HandlersAnswer = {
      handlers: await withWindow(store, rows, { app: HUB, minutes: query.minutes }),
      gates: gates.list(),
      hooks: hooks().hooks.map(summaryOf),
      rules: controls.rules(),
    };
    return json(answer);
  },
});

function summaryOf(hook: InstalledHook): HookSummary {
  const { id, name, kind, from, project, path, dialect, problems, remarks } = hook;
  return {
    ...{ id, name, kind, from, state: shownState(hook), path, problems },
    ...(project !== undefined && { project }),
    ...(dialect !== undefined && { dialect }),
    ...(remarks !== undefined && { remarks }),
  };
}

function toRow(
  { health, ...info }: HandlerInfo,
  stats: HandlerStats | undefined,
  note: string | undefined,
): HandlersAnswer["handlers"][number] {
  const state = readHealth(health);
  return {
    ...info,
    ...(state !== undefined && { health: state }),
    ...(stats !== undefined && { stats: ownOf(stats) }),
    ...(note !== undefined && { note }),
  };
}

function noteOn({ event, tool, owner, name }: HandlerInfo, controls: HandlerControls, tools: KnownTools): string | undefined {
  return toolNote({ events: [event], tool, match: controls.matchOf({ owner: owner ?? "", name }, event) }, tools);
}

function ownOf({
  id: _id,
  event: _event,
  name: _name,
  owner: _owner,
  ...own
}: HandlerStats): Omit<HandlerStats, "id" | "event" | "name" | "owner"> {
  return own;
}

// The function is the handler's own code, and may throw.
function readHealth(health: (() => HandlerHealth) | undefined): HandlerHealth | undefined {
  try {
    return health?.();
  } catch {
    return { state: "unknown" };
  }
}

export const sourceHandlers = route({
  method: "GET",
  path: "/api/sources/:instance/handlers",
  scope: "read",
  access: "read",
  summary: "Lists the handlers of a connected process, as the process reports them",
  params: z.object({ instance: z.string().describe("The process's instance.") }),
  query: z.strictObject({ minutes }),
  answer: {
    description: "Its handlers, with their counters.",
    body: z.object({ handlers: z.array(handlerRow) }).register(contract, { id: "SourceHandlersAnswer" }),
  },
  async handle({ parts: { sources, store }, params: { instance }, query }) {
    const found = sources.list().find(({ source }) => source.instance === instance);
    const rows = await sources.handlersOf(instance);
    if (found !== undefined && rows !== undefined) {
      const { app } = found.source;
      return json({ handlers: await withWindow(store, rows, { app, minutes: query.minutes }) } satisfies SourceHandlersAnswer);
    }
    throw new Refused(404, "HL_NOT_FOUND", "No process of this instance is connected, or it does not report its handlers.", {
      fix: "GET /api/sources lists the processes. Older versions of @hookline/core do not report handlers.",
    });
  },
});

export const tools = route({
  method: "GET",
  path: "/api/tools",
  scope: "read",
  access: "read",
  summary: "Lists the tools that the hub knows",
  answer: {
    description: "The attached agents, and the tools of stored calls.",
    body: z
      .object({
        attached: z.array(z.string()).describe("The ids of the attached agents."),
        seen: z.array(z.string()).describe("The tools of stored calls, the latest first; at most 1,000."),
      })
      .register(contract, { id: "ToolsAnswer" }),
  },
  async handle({ parts }) {
    const { attached, seen = [] } = await parts.knownTools();
    return json({ attached: attached.map(({ id }) => id), seen } satisfies ToolsAnswer);
  },
});

const ruleName = z.string({ error: "must be the name of a rule." }).exactOptional().describe("The name of a rule, for the owner `rules`.");
const statuses: { readonly [code: string]: number } = {
  HL_NOT_FOUND: 404,
  HL_CONFIG: 409,
  HL_NOT_SHOWN: 409,
  HL_UNKNOWN_EVENT: 400,
  HL_TIMEOUT: 503,
  HL_CANCELLED: 503,
};

export const turnHandler = route({
  method: "POST",
  path: "/api/handlers/:owner",
  scope: "approve",
  access: "operate",
  allows: ({ params: { owner }, body: { enabled, name } }) =>
    `Switch ${enabled ? "on" : "off"}: ${name === undefined ? owner : `${owner}, ${name}`}.`,
  summary: "Switches one of the user's hooks or rules on or off, in its file",
  params: z.object({ owner: z.string().describe("The hook's id, or `rules`.") }),
  body: z.strictObject({ enabled: z.boolean(), name: ruleName }).register(contract, { id: "SwitchRequest" }),
  answer: {
    description: "The file was written, and the hub has loaded it.",
    body: z.object({ enabled: z.boolean(), file: z.string() }).register(contract, { id: "SwitchAnswer" }),
  },
  async handle({ parts, params: { owner }, body: { enabled, name } }) {
    const file = await refusedAs(statuses, parts.handlers.turn({ owner, name }, enabled));
    return json({ enabled, file } satisfies SwitchAnswer);
  },
});

/** A person waits for the result, so this applies whatever the hook's own limit is. */
const TRIAL_MS = 60_000;

export const tryHandler = route({
  method: "POST",
  path: "/api/handlers/test",
  scope: "approve",
  access: "operate",
  allows: ({ body: { owner, name } }) => `Run on a sample event: ${name === undefined ? owner : `${owner}, ${name}`}.`,
  summary: "Runs a hook or a rule on a sample event",
  body: z
    .strictObject({
      owner: z.string({ error: "must be the owner of a handler. GET /api/handlers lists them." }).describe("The hook's id, or `rules`."),
      name: ruleName,
      event: z.string({ error: "must be the name of an event." }).exactOptional(),
    })
    .register(contract, { id: "TrialRequest" }),
  answer: {
    description: "What the handler answered. Nothing of it is stored.",
    body: z
      .object({
        event: z.string(),
        ms: milliseconds.describe("How long it took."),
        verdict: z.string(),
        wasAsked: z.boolean().describe("False if the handler did not match the sample."),
        reason: z.string().optional(),
        failure: z.string().optional(),
        injections: z.array(z.string()).exactOptional(),
        reminders: z.array(z.string()).exactOptional(),
        payload: z.unknown().exactOptional().describe("The payload, if the handler rewrote it."),
        value: z.unknown().exactOptional().describe("The value, if the handler replaced it."),
        again: z.string().optional(),
        errors: z.array(z.string()),
        notes: z.array(z.string()).exactOptional().describe("What is good to know, such as that the hub still runs an older version."),
      })
      .register(contract, { id: "TrialAnswer" }),
  },
  async handle({ parts, outgoing, body: { owner, name, event } }) {
    const trial = within(TRIAL_MS, outgoing, (signal) => parts.handlers.try({ owner, name }, event, signal));
    return json((await refusedAs(statuses, trial)) satisfies TrialAnswer);
  },
});

export const resetRules = route({
  method: "POST",
  path: "/api/rules/reset",
  scope: "approve",
  access: "operate",
  summary: "Lets rules forget what they have counted",
  allows: ({ body: { rule } }) =>
    rule === undefined ? "Let every rule forget what it has counted." : `Let the rule "${rule}" forget what it has counted.`,
  body: z
    .strictObject({
      rule: z.string().max(200).exactOptional().describe("Its name. Without it, every rule forgets, and a damaged record is set aside."),
    })
    .register(contract, { id: "RulesResetRequest" }),
  answer: { description: "They count from zero.", body: z.object({ ok: z.literal(true) }).register(contract, { id: "RulesResetAnswer" }) },
  async handle({ parts, body: { rule } }) {
    const isKnown = await refusedAs(
      { HL_CONFIG: 409 },
      Promise.resolve().then(() => parts.resetRules(rule)),
    );
    if (!isKnown) throw new Refused(404, "HL_NOT_FOUND", `There is no rule "${rule}" in force.`);
    return json({ ok: true } satisfies RulesResetAnswer);
  },
});
