import { type AgentFile, readAgentFile } from "./agent-file.js";
import { isNothingBut, splitMark } from "./file-owner.js";
import { findInstalled, hashOf, type Installed, readBackup } from "./installed.js";
import { type EditPlan, type EditTarget, explained, planned } from "./plan-edit.js";
import { type OurHooks, removeHooks } from "./remove-hooks.js";

/**
 * How to get our entries out of a file again, reading only: back to the byte if it is as we left it, else out of what it has become.
 * `ours` says how to know our entries where there is no record of them.
 */
export function planDetach(folder: string, target: EditTarget, ours?: OurHooks): EditPlan {
  const file = readAgentFile(target.path);
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
  return bom + removeHooks(body, ours, known?.containers);
}

/** A file that we made goes when nobody has put anything into it: no key, no comment. */
function isEmpty(text: string, { syntax, own }: Installed): boolean {
  return isNothingBut(splitMark(text).body, own ?? {}, syntax);
}
