import type { Decision } from "@hookline/core";
import { type Fields, fieldsOf } from "../protocol/message.js";
import type { PermissionOptionKind } from "./methods.js";

export const CANCELLED: Fields = { outcome: { outcome: "cancelled" } };

/** The answer to a permission request, or `undefined`: the editor asks its person. */
export function permissionAnswer(
  options: unknown,
  decision: Pick<Decision, "verdict" | "modified" | "actor">,
  isByTitle = false,
): Fields | undefined {
  const { verdict, modified, actor } = decision;
  // The agent runs what it has asked for: a rewrite cannot reach it.
  if (verdict === "deny" || modified) return selected(options, ["reject_once", "reject_always"]) ?? CANCELLED;
  // A rule cannot know what a title leaves out.
  if (isByTitle && actor?.kind !== "person") return undefined;
  // "Always" would take the next calls from the rules.
  return verdict === "allow" ? selected(options, ["allow_once"]) : undefined;
}

function selected(options: unknown, kinds: readonly PermissionOptionKind[]): Fields | undefined {
  const offered = Array.isArray(options) ? options.map(fieldsOf) : [];
  const found = kinds.flatMap((kind) => offered.filter((option) => option.kind === kind))[0];
  return typeof found?.optionId === "string" ? { outcome: { outcome: "selected", optionId: found.optionId } } : undefined;
}
