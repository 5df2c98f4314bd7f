import type { Translated } from "../../agents/shared/definition.js";
import type { Lent, SessionEffects } from "../effects/session-effects.js";
import { isSubagent } from "./tell-agent.js";

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
