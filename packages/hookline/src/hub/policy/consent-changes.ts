import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { readProjectHook } from "../../extensions/installed/project-hook.js";
import { hookOfKey, keyOf, type ProjectHook } from "../../extensions/trust/project-hooks.js";
import type { Trust } from "../../extensions/trust/trust.js";
import type { PolicyChange } from "../protocol.js";
import type { Wanted } from "./acceptance.js";
import type { AcceptedConsent, AcceptedPolicy } from "./accepted-policy.js";
import type { Difference } from "./policy-differences.js";
import { digestOf } from "./shown.js";

/** What differs between the accepted consents to projects' hooks and those in `trust.json`. */
export function consentDifferences(accepted: readonly AcceptedConsent[], found: readonly InstalledHook[]): Difference[] {
  const now = found.flatMap(({ id, name, consent, from }) => (from === "project" && consent !== undefined ? [{ id, name, consent }] : []));
  const isSame = (a: AcceptedConsent, b: AcceptedConsent): boolean => a.id === b.id && a.consent.hash === b.consent.hash;
  return [
    ...now
      .filter((one) => !accepted.some((other) => isSame(one, other)))
      .map((one) => difference(one, accepted.some(({ id }) => id === one.id) ? "changed" : "new")),
    ...accepted.filter(({ id }) => !now.some((one) => one.id === id)).map((one) => difference(one, "removed")),
  ];
}

/** What a person accepts by consenting to a hook of a project, or by revoking the consent. */
export function consentWanted(hook: ProjectHook, hash?: string): Wanted {
  const id = `${hook.project}#${keyOf(hook)}`;
  return { id: `hook:${id}`, digest: consentDigest(id, hash) };
}

function consentDigest(id: string, hash: string | undefined): string {
  return digestOf(hash === undefined ? ["no consent", id] : ["consent", id, hash]);
}

function difference(one: AcceptedConsent, kind: PolicyChange["change"]): Difference {
  const { id, name, consent } = one;
  const others = (policy: AcceptedPolicy) => policy.consents.filter((other) => other.id !== id);
  return {
    // In plain mode, the record of consent is enough.
    effect: kind === "removed" ? "other" : "consent",
    path: consent.project,
    change: {
      id: `hook:${id}`,
      kind: "hook",
      name,
      change: kind,
      isCode: kind !== "removed",
      what: `the consent to the hook "${name}" of the project "${consent.project}" ${SAID[kind]}.`,
      inForce: kind === "new" ? "It does not run until you accept it." : "The accepted version keeps running until you accept the change.",
      denies: false,
      digest: consentDigest(id, kind === "removed" ? undefined : consent.hash),
      diff: consent.shown,
    },
    take: (policy) => ({ ...policy, consents: kind === "removed" ? others(policy) : [...others(policy), one] }),
  };
}

const SAID = { new: "is new", changed: "is for another version", removed: "was revoked or removed" } as const;

/** The projects' hooks to put on the bus: those whose consent is accepted. */
export async function consentedHooks(
  found: readonly InstalledHook[],
  { consents }: AcceptedPolicy,
  waiting: ReadonlyMap<string, PolicyChange>,
  trust: Trust,
): Promise<readonly InstalledHook[]> {
  const kept = consents.filter(({ id }) => waiting.has(`hook:${id}`)).map((one) => keptVersion(one, waiting, trust));
  return [...found.filter(({ id }) => !waiting.has(`hook:${id}`)), ...(await Promise.all(kept))];
}

/** The version that the operator accepted, whatever `trust.json` says. */
async function keptVersion(
  { id, consent }: AcceptedConsent,
  waiting: ReadonlyMap<string, PolicyChange>,
  trust: Trust,
): Promise<InstalledHook> {
  const { what, inForce } = waiting.get(`hook:${id}`) as PolicyChange;
  const hook = await readProjectHook({ hook: hookOfKey(consent.project, consent.hook), state: "trusted", consent }, trust);
  return { ...hook, waits: `${what} ${inForce}`, problems: [...hook.problems, `${hook.path}: ${what} ${inForce}`] };
}
