import type { AgentFile } from "./agent-file.js";
import { isNothingBut, splitMark } from "./file-owner.js";
import { findInstalled, hashOf, type Installed, readBackup } from "./installed.js";
import { type EditPlan, type EditTarget, explained, planned, readTarget, withoutOurs } from "./plan-edit.js";
import type { OurHooks } from "./remove-hooks.js";

/**
 * Plans how to remove our entries from a file, without writing: byte for byte if it is as we left it, otherwise by editing its current text. `ours`
 * says how to recognize our entries without a record.
 */
export function planDetach(folder: string, target: EditTarget, ours?: OurHooks): EditPlan {
  const file = readTarget(target);
  const known = findInstalled(folder, target.path);
  const after = explained(target.path, () => without(folder, file, { known, ours }));
  return planned({ target, file, ...(after !== undefined && { after }) });
}

interface Knowledge {
  readonly known: Installed | undefined;
  readonly ours: OurHooks | undefined;
}

function without(folder: string, { text }: AgentFile, { known, ours }: Knowledge): string | undefined {
  if (text === undefined || known?.before === hashOf(text)) return text;
  const kept = known === undefined ? undefined : readBackup(folder, known);
  const isAsWritten = known?.after === hashOf(text);
  if (isAsWritten && (known.before === null || kept !== undefined)) return kept;
  const rest = stripped(text, known ?? ours, known);
  return known?.before === null && isEmpty(rest, known) ? undefined : rest;
}

function stripped(text: string, ours: OurHooks | undefined, known: Installed | undefined): string {
  const { bom, body } = splitMark(text);
  if (ours === undefined || body.trim() === "") return text;
  return bom + withoutOurs(body, ours, known);
}

/** A file that we created is removed if it contains nothing else: no key and no comment. */
function isEmpty(text: string, { syntax, own }: Installed): boolean {
  return isNothingBut(splitMark(text).body, own ?? {}, syntax);
}
