import type { ReminderBook } from "@hookline/core/remind";
import type { AgentDecision, Translated } from "../../agents/shared/definition.js";
import type { Lent, SessionEffects } from "../effects/session-effects.js";

/** What waits to be told to the models of attached agents, which have no book of their own. */
export interface AgentEffects {
  /** The agent, as the source of its events. */
  readonly app: string;
  readonly book: Pick<ReminderBook, "add" | "revoke" | "render" | "turnEnded" | "compacted" | "forget">;
  readonly effects: Pick<SessionEffects, "lend">;
  /** Whether the agent is told what is injected with this answer. */
  readonly isHeard: boolean;
}

/** What an agent is told, and what follows once it is known whether it was. */
interface Telling {
  readonly decision: AgentDecision;
  settle(isTold: boolean): void;
}

/**
 * A decision with what observers and operators have left for the model. It is told with the first answer that can carry it (`isHeard`),
 * reminders where a turn begins.
 */
export function withEffects(
  decision: AgentDecision,
  { event, payload }: Translated,
  { app, book, effects, isHeard }: AgentEffects,
): Telling {
  const unchanged = { decision, settle: () => {} };
  const session = payload.session as { readonly id: string } | undefined;
  if (typeof session?.id !== "string") return unchanged;
  if (event === "compact:after") book.compacted(session);
  if (event === "session:end") book.forget(session);
  // A subagent's model is not the one that a session's reminders are for.
  if (!isHeard || isSubagent(payload)) return unchanged;
  const lent = effects.lend(app, session.id, "words");
  const added = lent.reminders.map((spec) => book.add(spec, { session, by: "hub", event }));
  const isBeginning = event === "prompt:submit" || event === "session:start";
  const text = isBeginning ? book.render(session) : "";
  const told = [...lent.injections, ...(text === "" ? [] : [text])];
  return {
    decision: told.length === 0 ? decision : { ...decision, injections: [...decision.injections, ...told] },
    settle(isTold) {
      lent.settle(isTold);
      // They wait again, and are added again.
      if (!isTold) for (const { id } of added) book.revoke(id);
      else if (event === "prompt:submit") book.turnEnded(session);
    },
  };
}

/** Agents name the agent of a call only inside a subagent. */
function isSubagent({ agent }: Translated["payload"]): boolean {
  return typeof (agent as { readonly id?: unknown } | undefined)?.id === "string";
}

/**
 * The words with which an operator interrupts the session: its next tool call is denied with them, so the model reads them at once. Where a
 * turn begins, nothing is under way; then they are left among what is told there. The model of a subagent is not the one they are for.
 */
export function takeInterrupt(
  app: string,
  { event, payload }: Translated,
  effects: Pick<SessionEffects, "lend" | "calm">,
): Lent | undefined {
  const id = (payload.session as { readonly id?: unknown } | undefined)?.id;
  if (typeof id !== "string" || isSubagent(payload)) return undefined;
  if (event === "prompt:submit" || event === "session:start") effects.calm(app, id);
  const lent = event === "tool:before" ? effects.lend(app, id, "interrupt") : undefined;
  return lent?.injections.length === 0 ? undefined : lent;
}
