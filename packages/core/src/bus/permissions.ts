import { HookError } from "../catalog/errors.js";
import { permissionsOf, resolveEvent } from "../catalog/names.js";
import { didYouMean } from "../text/did-you-mean.js";

/** Refuses an owner that lacks a permission its event, or any event its pattern can match, needs, and a permission that does not exist. Code without an owner is the host's own. */
export function checkPermissions(
  event: string,
  isPattern: boolean,
  owner: string | undefined,
  granted: readonly string[] | undefined,
): void {
  if (owner === undefined) {
    if (granted === undefined) return;
    throw new HookError(
      "HL_BAD_OPTION",
      `on("${event}"): "permissions" are an owner's, and there is no "owner". Without one the handler is the host's own and may do everything.`,
      { event },
    );
  }
  const needed = isPattern ? permissionsOf(event) : [resolveEvent(event).spec.permission];
  const missing = needed.filter((permission) => granted === undefined || !granted.includes(permission));
  const problems = [...lacks(event, owner, missing), ...misspelled(granted)];
  if (problems.length > 0) throw new HookError("HL_PERMISSION", problems.join(" "), { event, owner });
}

function lacks(event: string, owner: string, missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const others = missing.length === 1 ? "" : ` It also lacks ${missing.slice(1).join(", ")}.`;
  return [`Extension '${owner}' lacks permission '${missing[0]}' required for hook '${event}'. Add it to its permissions.${others}`];
}

/** Each misspelled permission, also where the event does not need it: the owner is not allowed what its author believes. */
function misspelled(granted: readonly string[] = []): string[] {
  const known = permissionsOf("*");
  return granted
    .filter((permission) => !known.includes(permission))
    .map((permission) => `There is no permission '${permission}'.${didYouMean(permission, known)}`);
}
