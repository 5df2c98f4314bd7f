import type { ReminderBook } from "@hookline/core/remind";
import type { AgentDecision, Translated } from "../../agents/agent.js";

export type SessionReminders = Pick<ReminderBook, "render" | "turnEnded" | "compacted" | "forget">;

/** What observers of a session want the model to remember, told where a turn begins; an attached agent has no book of its own. */
export function withReminders(decision: AgentDecision, { event, payload }: Translated, book: SessionReminders | undefined): AgentDecision {
  const session = payload.session as { readonly id: string } | undefined;
  if (book === undefined || typeof session?.id !== "string") return decision;
  if (event === "compact:after") book.compacted(session);
  if (event === "session:end") book.forget(session);
  if (event !== "prompt:submit" && event !== "session:start") return decision;
  const text = book.render(session);
  if (event === "prompt:submit") book.turnEnded(session);
  return text === "" ? decision : { ...decision, injections: [...decision.injections, text] };
}
