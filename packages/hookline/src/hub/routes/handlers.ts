import type { HandlerHealth, HandlerInfo, HandlerStats } from "@hookline/core";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import { type InstalledHook, shownState } from "../../extensions/installed/installed-hook.js";
import { withWindow } from "../handlers/handler-window.js";
import { json } from "../http/answer.js";
import type { HandlerControls } from "../parts.js";
import type { HandlersAnswer, HookSummary } from "../protocol.js";
import { HUB } from "../store/handler-tally.js";
import { minutesParameter, readMinutes } from "./minutes.js";
import type { Route } from "./route.js";
import { handlerRow, hookSummary, list, object, ruleSummary } from "./schemas.js";

export const handlers: Route = {
  method: "GET",
  path: "/api/handlers",
  scope: "read",
  summary: "What is registered in the hub, and how it has done lately and so far",
  query: { minutes: minutesParameter },
  response: {
    description: "The handlers, and the events they are asked about.",
    schema: object({ handlers: list(handlerRow), gates: list({ type: "object" }), hooks: list(hookSummary), rules: list(ruleSummary) }),
  },
  async handle({ parts: { bus, store, gates, counts, hooks, handlers: desk, knownTools }, query }) {
    const stats = new Map(bus.stats().map((row) => [row.id, counts.add(row)]));
    // A record that cannot be read is said by doctor: the list is there all the same.
    const tools = await knownTools().catch((): KnownTools => ({ attached: [], seen: [] }));
    const rows = bus.list().map((info) => toRow(info, stats.get(info.id), noteOn(info, desk, tools)));
    const answer: HandlersAnswer = {
      handlers: await withWindow(store, rows, { app: HUB, minutes: readMinutes(query) }),
      gates: gates.list(),
      hooks: hooks().hooks.map(summaryOf),
      rules: desk.rules(),
    };
    return json(answer);
  },
};

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

function noteOn({ event, tool, owner, name }: HandlerInfo, desk: HandlerControls, tools: KnownTools): string | undefined {
  return toolNote({ events: [event], tool, match: desk.matchOf({ owner: owner ?? "", name }, event) }, tools);
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

// It is the handler's own code.
function readHealth(health: (() => HandlerHealth) | undefined): HandlerHealth | undefined {
  try {
    return health?.();
  } catch {
    return { state: "unknown" };
  }
}
