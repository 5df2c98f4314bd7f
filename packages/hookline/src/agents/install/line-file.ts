import type { JsonSyntax } from "./json-document.js";
import type { ScriptSyntax } from "./script-file.js";
import { mergeToml, type NeededSetting, removeToml, type TomlSyntax, tomlLists } from "./toml-hooks.js";
import { mergeYaml, removeYaml, type YamlSyntax, yamlLists } from "./yaml-hooks.js";

/** How an agent's file is written. */
export type FileSyntax = JsonSyntax | TomlSyntax | YamlSyntax | ScriptSyntax;

type Lists = { readonly [event: string]: readonly unknown[] };

/** A file in which our lines are between comments. All of these throw `HL_AGENT_FILE` for a text that the agent could not read. */
interface LineFile {
  /** The entries of all events. */
  lists(text: string): Lists;
  merge(
    text: string,
    wanted: { readonly entries: Lists; readonly settings?: readonly NeededSetting[]; readonly marks: readonly string[] },
  ): string;
  remove(text: string, marks: readonly string[]): string;
}

/** Undefined for JSON and for programs. */
export function lineFile(syntax: FileSyntax): LineFile | undefined {
  if (isToml(syntax))
    return {
      lists: (text) => tomlLists(text, syntax),
      merge: (text, wanted) => mergeToml(text, { ...wanted, syntax }),
      remove: (text, marks) => removeToml(text, { syntax, marks }),
    };
  return "yaml" in syntax ? { lists: yamlLists, merge: mergeYaml, remove: removeYaml } : undefined;
}

export function isToml(syntax: FileSyntax): syntax is TomlSyntax {
  return "toml" in syntax;
}

export function isScript(syntax: FileSyntax): syntax is ScriptSyntax {
  return "script" in syntax;
}

/** Neither lines nor a program. */
export function isJson(syntax: FileSyntax): syntax is JsonSyntax {
  return "comments" in syntax;
}
