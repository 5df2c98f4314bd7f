import { allSinks } from "../../packages/core/dist/sinks/all-sinks.js";
import type { SinkDefinition } from "../../packages/core/dist/sinks/sink-definition.js";
import { blocks, code, page, table } from "./markdown.ts";

const introduction = `# Sinks

The types of \`[[sink]]\` in \`hookline.toml\`, and the options of each. [Configuration](../configuration.md#sink) has the keys that every sink takes, [Sinks](../sinks.md) explains them, and in code the same options are given to \`create…Sink\`.`;

/** docs/reference/sinks.md: every type of sink, with its options. */
export function sinksPage(): string {
  return page("packages/core/src/sinks/all-sinks.ts", introduction, ...allSinks.map(section));
}

function section({ type, what, options }: SinkDefinition): string {
  const rows = Object.entries(options).flatMap(([key, option]) =>
    option.kind === undefined ? [] : [[code(key), option.what ?? "", option.isRequired === true ? "required" : (option.default ?? "")]],
  );
  return blocks(`## ${type}`, what, table(["Key", "Meaning", "Default"], rows));
}
