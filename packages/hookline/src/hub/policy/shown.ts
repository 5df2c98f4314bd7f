import { createHash } from "node:crypto";
import { type Fix, HookError } from "@hookline/core";

/** What is shown to a person and then accepted has one digest, the same in every command and in the dashboard. */
export function digestOf(value: object): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Of several things that are accepted together. */
export function digestOfAll(digests: readonly string[]): string {
  const [first, second] = digests;
  return first !== undefined && second === undefined ? first : digestOf([...digests].sort());
}

/**
 * Throws `HL_NOT_SHOWN` unless a person saw what has this digest. `now`: one sentence on what it is now. Only the whole digest counts: a
 * program that writes what is shown and what it puts in its place finds two contents whose digests begin with the same 12 digits in seconds.
 */
export function requireShown(
  seen: string | undefined,
  digest: string | undefined,
  { name, now, fix }: { readonly name: string; readonly now: string; readonly fix: Fix },
): void {
  if (seen !== undefined && seen === digest) return;
  const was = seen === undefined ? "no digest says which version was shown" : `what was shown has the digest ${seen.slice(0, 64)}`;
  const is = digest === undefined ? "" : `; it has the digest ${digest} now`;
  throw new HookError("HL_NOT_SHOWN", `"${name}" is not what was shown, so nothing was accepted: ${was}${is}. ${now}`, { fix });
}
