import type { Actor } from "@hookline/core";
import { inertLines, inertText } from "@hookline/core/internal/text";

/** The words of a decision, as far as an agent or a person may be shown them. */
interface Words {
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  readonly injections: readonly string[];
  readonly again?: { readonly reason?: string | undefined; readonly by: string } | undefined;
  readonly reminders?: readonly { readonly spec: unknown; readonly by: string }[];
  readonly actor?: Actor | undefined;
  readonly trail?: readonly { readonly actor: Actor; readonly reason?: string | undefined }[];
}

/**
 * A decision whose words no terminal acts on. For the client that asked. The stored text stays as it was said, and the payload will run, so neither is touched.
 */
export function inertDecision<D extends Words>(decision: D): D {
  const { reason, by, actor, injections, again, reminders, trail } = decision;
  return {
    ...decision,
    ...(reason !== undefined && { reason: inertLines(reason) }),
    ...(by !== undefined && { by: inertText(by) }),
    ...(actor !== undefined && { actor: inertActor(actor) }),
    injections: injections.map(inertLines),
    ...(again !== undefined && { again: inertStep(again) }),
    ...(reminders !== undefined && { reminders: reminders.map(inertReminder) }),
    ...(trail !== undefined && { trail: trail.map((step) => ({ ...inertStep(step), actor: inertActor(step.actor) })) }),
  };
}

function inertStep<S extends { readonly reason?: string | undefined }>(step: S): S {
  return step.reason === undefined ? step : { ...step, reason: inertLines(step.reason) };
}

function inertActor(actor: Actor): Actor {
  const { name, owner } = actor;
  return { ...actor, name: inertText(name), ...(owner !== undefined && { owner: inertText(owner) }) };
}

function inertReminder<R extends { readonly spec: unknown }>(reminder: R): R {
  const { body } = reminder.spec as { readonly body: string };
  return { ...reminder, spec: { ...(reminder.spec as object), body: inertLines(body) } };
}
