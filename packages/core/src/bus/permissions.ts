import { HookError } from "../catalog/errors.js";
import { permissionsOf, resolveEvent } from "../catalog/names.js";

/** Refuses an owner that lacks a permission its event, or any event its pattern can match, needs. Code without an owner is the host's own. */
export function checkPermissions(
  event: string,
  isPattern: boolean,
  owner: string | undefined,
  granted: readonly string[] | undefined,
): void {
  if (owner === undefined) return;
  const needed = isPattern ? permissionsOf(event) : [resolveEvent(event).spec.permission];
  const missing = needed.find((permission) => granted === undefined || !granted.includes(permission));
  if (missing === undefined) return;
  throw new HookError(
    "HL_PERMISSION",
    `Extension '${owner}' lacks permission '${missing}' required for hook '${event}'. Add it to the permissions it registers with.`,
    { event, owner },
  );
}
