import type { Actor } from "../catalog/actor.js";
import { errorText, HookError } from "../catalog/errors.js";
import { type CheckedVersions, MAX_ROUNDS } from "./checked-versions.js";
import { hasCall } from "./event.js";
import type { Registration } from "./registration.js";
import type { Slot } from "./slot.js";

/** Why a call must not happen: a handler's verdict, a person's, or a failure (`cause`). */
export interface Denial {
  readonly reason: string | undefined;
  readonly actor?: Actor | undefined;
  readonly registration?: Registration;
  readonly cause?: HookError | undefined;
  readonly endLoop?: boolean;
}

/** A failure that denies. Its own words name the handler. */
export function denialBy(registration: Registration, cause: HookError): Denial {
  const text = errorText(cause);
  const reason = cause.note === undefined ? text : `${text.replace(/\.$/, "")}. ${cause.note}`;
  return { reason, actor: registration.parts.actor, registration, cause };
}

/** Rewrites that do not end. */
export function endlessRewrites({ name }: Slot, { rewriters }: CheckedVersions): Denial {
  const [first] = rewriters;
  const names = rewriters.map(({ parts }) => `"${parts.name}"`).join(" and ") || "the approver";
  const reason = `Guards of "${name}" kept rewriting each other's payload for ${MAX_ROUNDS} rounds: ${names}. Move one to stage "rewrite".`;
  const cause = new HookError("HL_REWRITE_LOOP", reason, { event: name, handler: first?.parts.name });
  return { reason, actor: first?.parts.actor, cause };
}

/** Where neither handler nor bus chose that a failure denies, the handler may be a logger that was not meant as a guard. */
export function adviceFor({ parts }: Registration, { core }: Slot): string | undefined {
  const isChosen = parts.saysOnFailure || parts.isSentinel || core.options.onFailure !== undefined;
  return isChosen ? undefined : 'If it only watches, register it with stage: "observe".';
}

/** What to do about a guard that failed. On a payload without a call it need not be at fault. */
export function adviceOnFailure(registration: Registration, slot: Slot, payload: unknown): string | undefined {
  if (registration.parts.onFailure === "open") return 'Nothing is blocked by that: its onFailure is "open".';
  if (!slot.name.startsWith("tool:") || hasCall(payload)) return adviceFor(registration, slot);
  return "The payload has no { tool: { name, input } } to judge.";
}
