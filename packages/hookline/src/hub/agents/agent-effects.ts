import type { ReminderBook } from "@hookline/core/remind";
import type { AgentDecision, Translated } from "../../agents/shared/definition.js";
import type { Lent, SessionEffects } from "../effects/session-effects.js";

/** Pending text for the models of attached agents, which keep no reminders themselves. */
export interface AgentEffects {
  /** The agent, as the source of its events. */
  readonly app: string;
  readonly book: Pick<ReminderBook, "add" | "revoke" | "render" | "turnEnded" | "compacted" | "forget">;
  readonly effects: Pick<SessionEffects, "lend">;
  /** Whether the agent accepts injected text with this answer. */
  readonly isHeard: boolean;
}

/** The reply to an agent, and what follows once it is known whether it arrived. */
interface Telling {
  readonly decision: AgentDecision;
  settle(isTold: boolean): void;
}

/**
 * A decision with the text that observers and operators have left for the model. The text is sent with the first answer that can carry it
 * (`isHeard`), reminders at the start of a turn.
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
  // The reminders of a session are not meant for the model of a subagent.
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
      // They stay pending and are added again.
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
 * An operator's message that interrupts the session: its next tool call is denied with the message, so the model reads it at once. At the
 * start of a turn there is nothing to interrupt, so it is sent with the other text. It is not for the model of a subagent.
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
