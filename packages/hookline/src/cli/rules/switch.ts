import { inertText } from "@hookline/core/internal/text";
import { switchConfigEntry } from "../../extensions/installed/switch-installed.js";
import { EXIT } from "../exit-codes.js";
import type { Terminal } from "../terminal.js";
import { pickRule } from "./pick-rule.js";
import { readRules } from "./read-rules.js";

/** `hookline rules enable|disable <name>`: writes `enabled` into the rule's table. */
export async function switchRule(
  terminal: Terminal,
  { config }: { readonly config?: string },
  { name, isEnabled }: { readonly name: string | undefined; readonly isEnabled: boolean },
): Promise<number> {
  const word = isEnabled ? "enable" : "disable";
  const rule = pickRule(await readRules(terminal, config), name, word);
  switchConfigEntry({ table: "rule", file: rule.file, line: rule.line, name: rule.name }, isEnabled);
  terminal.say(
    `${inertText(rule.name)} is ${word}d, in ${inertText(rule.file)}. A hub that runs${config === undefined ? "" : " with this file"} takes it up within a second.`,
  );
  return EXIT.ok;
}
