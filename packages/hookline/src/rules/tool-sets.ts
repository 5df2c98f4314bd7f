import { didYouMean } from "@hookline/core/internal/text";

/** The named sets of tools. A rule writes `@writers`; agents have different names for such tools, and new ones with every version. */
const toolSets: { readonly [name: string]: readonly string[] } = {
  /** Tools that write files, those of MCP servers too: `mcp__fs__write_file`, `fs-edit_file`. A server may be called `text-editor`. */
  writers: ["Write", "Edit", "MultiEdit", "NotebookEdit", "*write*", "edit*", "*_edit*", "*-edit_*"].concat(
    ["replace", "create", "append", "insert", "update", "save", "delete", "remove", "move", "rename", "copy", "patch"].map(
      (verb) => `*${verb}*`,
    ),
  ),
};

/** The names and patterns that a rule's `tool` stands for. Throws what is wrong with a set. */
export function toolsOf(tool: string | readonly string[]): readonly string[] {
  return [tool].flat().flatMap((name) => {
    if (!name.startsWith("@")) return [name];
    const known = Object.keys(toolSets).map((set) => `@${set}`);
    if (!known.includes(name))
      throw new SyntaxError(`"${name}" is not a set of tools.${didYouMean(name, known)} Known: ${known.join(", ")}`);
    return toolSets[name.slice(1)] ?? [];
  });
}
