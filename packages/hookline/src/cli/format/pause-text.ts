import { inertText } from "@hookline/core/internal/text";
import type { GuardPause } from "../../hub/protocol.js";
import { timeText } from "./times.js";

/** That guards are paused, by whom and until when, as a sentence. */
export function pauseText({ by, until, reason }: GuardPause): string {
  const why = reason === undefined ? "" : ` (${inertText(reason)})`;
  return `The hub's guards are paused by ${inertText(by)} until ${timeText(Date.parse(until), { isShort: true })}${why}.`;
}

/** The same as a warning, with what to do about it. */
export function pauseWarning(paused: GuardPause): string {
  return `${pauseText(paused)} Nothing is denied meanwhile. Run: hookline resume`;
}

/** Why no guard was asked; nothing where guards were. */
export function pausedIn({ trail = [] }: { readonly trail?: readonly Step[] }): string | undefined {
  return trail.find(({ action, reason }) => action === "paused" && reason !== undefined)?.reason;
}

interface Step {
  readonly action: string;
  readonly reason?: string | undefined;
}
