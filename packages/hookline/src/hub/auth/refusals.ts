import { inertText } from "@hookline/core/internal/text";
import type { Holder } from "../parts.js";

/** A token was used for an action outside its scopes. */
export interface RefusedAction {
  readonly who: Pick<Holder, "kind" | "agent">;
  /** The route, such as `POST /api/stop`. */
  readonly action: string;
  /** The part of the path that the route leaves open. */
  readonly target?: string | undefined;
  readonly reason: string;
}

/** A second's worth in the record; the others are counted. */
const MAX_PER_SECOND = 10;
const MAX_TARGET = 200;

/** Records who tried to operate and may not. Endless attempts fill neither the store nor the log. */
export function createRefusals(
  tell: (event: "permission:refused", payload: object) => void,
  now: () => number = Date.now,
): (refused: RefusedAction) => void {
  let [second, count, suppressed] = [0, 0, 0];
  return ({ who, action, target, reason }) => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) [second, count] = [current, 0];
    if (++count > MAX_PER_SECOND) return void suppressed++;
    tell("permission:refused", {
      ...nameOf(who),
      action,
      ...(target !== undefined && { target: inertText(target.slice(0, MAX_TARGET)) }),
      reason,
      ...(suppressed > 0 && { suppressed }),
    });
    suppressed = 0;
  };
}

/** `operator`: who tried. `by`: how they were recognised. */
function nameOf({ kind, agent }: RefusedAction["who"]): { readonly operator: string; readonly by: string } {
  if (kind === "process") return { operator: "a process", by: "the token in hub.json" };
  if (kind === "agent") return { operator: agent ?? "an attached agent", by: "the key of attached agents" };
  if (kind === "dashboard") return { operator: "a dashboard", by: "a login by a link" };
  return { operator: "the operator", by: "the token in operator.json" };
}
