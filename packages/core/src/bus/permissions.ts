import { didYouMean } from "../catalog/did-you-mean.js";
import { HookError } from "../catalog/errors.js";
import { permissionsOf, resolveEvent } from "../catalog/names.js";

/** Refuses an owner that lacks a permission its event, or any event its pattern can match, needs. Code without an owner is the host's own. */
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
  if (missing.length === 0) return;
  const others = missing.length === 1 ? "" : ` It also lacks ${missing.slice(1).join(", ")}.`;
  throw new HookError(
    "HL_PERMISSION",
    `Extension '${owner}' lacks permission '${missing[0]}' required for hook '${event}'. Add it to its permissions.${others}${unknownOf(granted)}`,
    { event, owner },
  );
}

/** A granted permission that does not exist is most likely the missing one, misspelled. */
function unknownOf(granted: readonly string[] | undefined): string {
  const known = permissionsOf("*");
  const unknown = granted?.find((permission) => !known.includes(permission));
  return unknown === undefined ? "" : ` There is no permission '${unknown}'.${didYouMean(unknown, known)}`;
}
