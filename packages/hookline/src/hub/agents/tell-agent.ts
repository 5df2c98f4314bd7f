import type { ReminderBook } from "@hookline/core/remind";
import type { AgentDecision, Translated } from "../../agents/agent.js";
import type { SessionEffects } from "../effects/session-effects.js";

/** What waits to be told to the models of attached agents, which have no book of their own. */
export interface AgentEffects {
  /** The agent, as the source of its events. */
  readonly app: string;
  readonly book: Pick<ReminderBook, "add" | "render" | "turnEnded" | "compacted" | "forget">;
  readonly effects: Pick<SessionEffects, "take">;
  /** Whether the agent is told what is injected with this answer. */
  readonly isHeard: boolean;
}

/**
 * A decision with what observers and operators have left for the model. It is told with the first answer that can carry it (`isHeard`),
 * reminders where a turn begins.
 */
export function withEffects(
  decision: AgentDecision,
  { event, payload }: Translated,
  { app, book, effects, isHeard }: AgentEffects,
): AgentDecision {
  const session = payload.session as { readonly id: string } | undefined;
  if (typeof session?.id !== "string") return decision;
  if (event === "compact:after") book.compacted(session);
  if (event === "session:end") book.forget(session);
  // A subagent's model is not the one that a session's reminders are for.
  if (!isHeard || isSubagent(payload)) return decision;
  const { injections, reminders } = effects.take(app, session.id);
  for (const spec of reminders) book.add(spec, { session, by: "hub", event });
  const isBeginning = event === "prompt:submit" || event === "session:start";
  const text = isBeginning ? book.render(session) : "";
  if (event === "prompt:submit") book.turnEnded(session);
  const told = [...injections, ...(text === "" ? [] : [text])];
  return told.length === 0 ? decision : { ...decision, injections: [...decision.injections, ...told] };
}

/** Agents name the agent of a call only inside a subagent. */
export function isSubagent({ agent }: Translated["payload"]): boolean {
  return typeof (agent as { readonly id?: unknown } | undefined)?.id === "string";
}
