import { allSinks } from "../../packages/core/dist/sinks/all-sinks.js";
import type { SinkDefinition } from "../../packages/core/dist/sinks/sink-definition.js";
import { allTargets } from "../../packages/hookline/dist/notify/all-targets.js";
import { blocks, code, page, table } from "./markdown.ts";

const introduction = `# Sinks

The types of \`[[sink]]\` in \`hookline.toml\`, and the options of each. [Configuration](../configuration.md#sink) has the keys that every sink takes, [Sinks](../sinks.md) explains them, and in code the same options are given to \`create…Sink\`.`;

const ofNotify = `# Notifications

The types of \`[[notify]]\` in \`hookline.toml\`, and the options of each. [Notifications](../notifications.md) has the keys that every type takes. Secrets may be \`{ env = "NAME" }\` or \`{ file = "path" }\`.`;

/** docs/reference/sinks.md: every type of sink, with its options. */
export function sinksPage(): string {
  return page("packages/core/src/sinks/all-sinks.ts", introduction, ...allSinks.map(section));
}

/** docs/reference/notify.md: every type of `[[notify]]`, with its options. */
export function notifyPage(): string {
  return page("packages/hookline/src/notify/all-targets.ts", ofNotify, ...allTargets.map(section));
}

function section({ type, what, options }: Pick<SinkDefinition, "type" | "what" | "options">): string {
  const rows = Object.entries(options).flatMap(([key, option]) =>
    option.kind === undefined ? [] : [[code(key), option.what ?? "", option.isRequired === true ? "required" : (option.default ?? "")]],
  );
  return blocks(`## ${type}`, what, rows.length === 0 ? "It has no options." : table(["Key", "Meaning", "Default"], rows));
}
