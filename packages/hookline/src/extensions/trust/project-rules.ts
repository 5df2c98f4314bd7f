import { parseToml } from "../../config/parse-toml.js";
import { refusedInProject } from "../../rules/register-rules.js";
import { CONFIG_NAME } from "./project-hooks.js";
import type { FolderEntry } from "./read-folder.js";

/** What a project's hookline.toml would bring, for a person to read: each `[[rule]]` with what it does, and what does not count. */
export interface ProjectRules {
  readonly rules: readonly string[];
  readonly refused: readonly string[];
  /** Tables that are passed over, such as `[hub]`. */
  readonly ignored: readonly string[];
  readonly fault?: string;
}

export function summarizeRules(entries: readonly FolderEntry[]): ProjectRules {
  const file = entries.find(({ kind, name }) => kind === "file" && name === CONFIG_NAME);
  const parsed = parseToml(file?.kind === "file" ? file.content.toString("utf8") : "");
  if ("message" in parsed) return { rules: [], refused: [], ignored: [], fault: `line ${parsed.line}: ${parsed.message}` };
  const { rule, ...others } = parsed.document;
  const rules = (Array.isArray(rule) ? rule : []) as readonly { readonly name?: unknown; readonly do?: unknown }[];
  const refused = rules.filter((one) => refusedInProject(one as Parameters<typeof refusedInProject>[0]));
  return {
    rules: rules.filter((one) => !refused.includes(one)).map(nameOf),
    refused: refused.map(nameOf),
    ignored: Object.entries(others).map(([key, value]) => (Array.isArray(value) ? `[[${key}]]` : `[${key}]`)),
  };
}

function nameOf({ name = "without a name", do: action }: { readonly name?: unknown; readonly do?: unknown }): string {
  return `${String(name)} (${String(action)})`;
}
