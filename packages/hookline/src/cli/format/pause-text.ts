import { inertText } from "@hookline/core/internal/text";
import type { GuardPause } from "../../hub/protocol.js";
import { timeText } from "./times.js";

/** A sentence that says who paused the guards, and until when. */
export function pauseText({ by, until, reason }: GuardPause): string {
  const why = reason === undefined ? "" : ` (${inertText(reason)})`;
  return `The hub's guards are paused by ${inertText(by)} until ${timeText(Date.parse(until), { isShort: true })}${why}.`;
}

/** The same as a warning, with its fix. */
export function pauseWarning(paused: GuardPause): string {
  return `${pauseText(paused)} Until then nothing is denied, except by the guards of a signed bundle. Run: hookline resume`;
}

/** Why no guard was asked; `undefined` if guards were asked. */
export function pausedIn({ trail = [] }: { readonly trail?: readonly Step[] }): string | undefined {
  return trail.find(({ action, reason }) => action === "paused" && reason !== undefined)?.reason;
}

interface Step {
  readonly action: string;
  readonly reason?: string | undefined;
}
