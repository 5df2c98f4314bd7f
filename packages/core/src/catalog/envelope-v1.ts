import type { DecisionStep, DecisionSummary, Envelope } from "./envelope.js";

/** A step as version 1 of the envelope writes it. `at` is `hub` for a guard of the hub's, which the step before it has asked. */
type StepV1 = Omit<DecisionStep, "actor"> & { readonly handler: string; readonly owner?: string; readonly at?: string };

interface EnvelopeV1 {
  readonly v: 1;
  readonly decision?: Omit<DecisionSummary, "actor" | "trail"> & { readonly trail?: readonly StepV1[] };
}

/** An envelope of version 1 in the shape of version 2. Version 1 does not say what kind of actor a step is of: each is a guard, except for the one that asked the hub, which a step `at` the hub follows. */
export function upgradeEnvelope<E extends Pick<Envelope, "decision">>(envelope: E | EnvelopeV1): E {
  if (!("v" in envelope) || (envelope as { readonly v: unknown }).v !== 1) return envelope as E;
  const { decision } = envelope as EnvelopeV1;
  if (decision === undefined) return { ...envelope, v: 2 } as unknown as E;
  // Version 1 has no actors. A sender can still have written the field, which nothing has checked.
  const { actor: _, trail, ...said } = decision as typeof decision & { readonly actor?: unknown };
  const steps = trail === undefined ? {} : { trail: upgradeSteps(trail.map(withoutActor)) };
  return { ...envelope, v: 2, decision: { ...said, ...steps } } as unknown as E;
}

/** Steps of version 1 or 2, each with its actor. */
export function upgradeSteps(steps: readonly (DecisionStep | StepV1)[]): readonly DecisionStep[] {
  return steps.map((step, index) => {
    if ("actor" in step) return step;
    const { handler, owner, at, ...rest } = step;
    const next = steps[index + 1];
    const asksHub = at === undefined && next !== undefined && "at" in next && next.at === "hub";
    const kind = asksHub ? "hub" : "guard";
    return { actor: { kind, name: handler, ...(owner !== undefined && { owner }), ...(at !== undefined && { at }) }, ...rest };
  });
}

function withoutActor({ actor: _, ...step }: StepV1 & { readonly actor?: unknown }): StepV1 {
  return step;
}
