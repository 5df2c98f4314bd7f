import { closest } from "@hookline/core/internal/text";
import { isTable } from "../../config/schema/read-table.js";
import { specsOf } from "../../rules/rule-faults.js";

/** The keys that Hermes reads in a `HOOK.yaml`. */
const HERMES_KEYS = ["name", "description", "events", "enabled"];

export interface DialectClues {
  /** Every key that a `HOOK.yaml` may have in Hookline. */
  readonly keys: readonly string[];
  /** The handler's file. */
  readonly handler: string | undefined;
}

/**
 * The runtime that a folder was written for. A key that is ours, or a misspelling of one, and that Hermes does not know makes the folder
 * ours. Hermes has no shell handlers, so a folder with one is ours unless it says otherwise.
 */
export function dialectOf(manifest: unknown, { keys, handler }: DialectClues): "own" | "hermes" {
  if (!isTable(manifest)) return "own";
  if (manifest.dialect === "hermes") return "hermes";
  const own = keys.filter((key) => !HERMES_KEYS.includes(key));
  const isOurs = handler?.endsWith(".sh") === true || Object.keys(manifest).some((key) => isMeantAs(key, own));
  return isOurs ? "own" : "hermes";
}

/** A guard whose `onFailure` is misspelled must not become one that fails open. */
function isMeantAs(key: string, own: readonly string[]): boolean {
  if (HERMES_KEYS.includes(key)) return false;
  const bare = key.replaceAll(/[-_]/g, "").toLowerCase();
  // Shorter keys resemble one of our keys by chance.
  return own.some((one) => one.toLowerCase() === bare) || (key.length >= 5 && closest(key, own) !== undefined);
}

export const FAILS_OPEN = `It is in Hermes' dialect, because it has none of Hookline's own keys: it fails open, and Hookline reads only {"decision": ...} of its answers. To make it a Hookline hook, add "onFailure: closed" (or "open").`;

/** True if a Hookline hook could have blocked or rewritten something. */
export function takesAnswers(event: string): boolean {
  return specsOf(event).some(({ kind, outcomes }) => kind === "transform" || (kind === "gate" && outcomes.includes("block")));
}

/** The manifest as Hermes reads it: any name, any description, and all of YAML's words for true and false. */
export function asHermesReads(manifest: unknown): unknown {
  if (!isTable(manifest)) return manifest;
  const { name, description, enabled, ...rest } = manifest;
  const label = String(name ?? "")
    .trim()
    .replaceAll(/[\s\p{Cc}]+/gu, "-")
    .slice(0, 64);
  const word = String(enabled ?? "").toLowerCase();
  const isOn = ["yes", "on"].includes(word) ? true : ["no", "off"].includes(word) ? false : enabled;
  return {
    ...rest,
    ...(label !== "" && { name: label }),
    ...(description !== undefined && description !== null && { description: String(description) }),
    ...(isOn !== undefined && isOn !== null && { enabled: isOn }),
  };
}

/** The permissions that the events need, because the manifest has no key for them. */
export function neededFor(events: readonly string[]): string[] {
  const needed = events.flatMap((event) => {
    const own = specsOf(event).map(({ permission }) => permission);
    return own.length === 0 || event === "*" ? [...own, "custom.observe"] : own;
  });
  return [...new Set(needed)];
}
