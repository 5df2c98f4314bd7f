import { errorText } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { keysIn } from "../../agents/attach/http-entries.js";
import type { EditPlan } from "../../agents/install/plan-edit.js";
import { CliError } from "../cli-error.js";
import type { Terminal } from "../terminal.js";
import { rotateKeys } from "./rotate-keys.js";

/** A key that stood in an agent's settings may be known to others: once it is out of them, it is worth nothing. */
export async function dropKeys({ file, after = "" }: Pick<EditPlan, "file" | "after">, terminal: Terminal): Promise<void> {
  const kept = keysIn(after);
  if (keysIn(file.text ?? "").every((key) => kept.includes(key))) return;
  const { left } = await rotateKeys(terminal.env, "agents").catch((cause: unknown) => {
    const message = `The key that stood in its settings is still good, because it could not be replaced: ${errorText(cause)}`;
    throw new CliError(message, { fix: { run: "hookline token rotate" }, cause });
  });
  terminal.say("The key that stood in its settings is worth nothing any more.");
  for (const text of left) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inertText(text)}`);
}
