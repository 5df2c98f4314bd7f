import { isDeepStrictEqual } from "node:util";
import { parseTree } from "jsonc-parser";
import { isMap, isScalar, parse, parseDocument } from "yaml";

/** The text of an `extension.json` or a `HOOK.yaml` with `enabled` set and everything else unchanged. */
export function withEnabled(text: string, format: "json" | "yaml", isEnabled: boolean): string {
  return format === "json" ? inJson(text, isEnabled) : inYaml(text, isEnabled);
}

function inJson(text: string, isEnabled: boolean): string {
  const { offset: start = 0, children = [] } = parseTree(text) ?? {};
  const value = children.find(({ children: [key] = [] }) => key?.value === "enabled")?.children?.[1];
  if (value !== undefined) return `${text.slice(0, value.offset)}${isEnabled}${text.slice(value.offset + value.length)}`;
  const [first, last] = [children[0], children.at(-1)];
  if (first === undefined || last === undefined) return `{ "enabled": ${isEnabled} }\n`;
  // With the same separator as between the brace and the first key, such as a line break.
  const gap = text.slice(start + 1, first.offset);
  const end = last.offset + last.length;
  return `${text.slice(0, end)},${gap}"enabled": ${isEnabled}${text.slice(end)}`;
}

function inYaml(text: string, isEnabled: boolean): string {
  const next = editedYaml(text, isEnabled);
  const wanted = { ...(parse(text) as object), enabled: isEnabled };
  if (next !== undefined && isDeepStrictEqual(parsed(next), wanted)) return next;
  // An unusual file, such as one on a single line: write the same values again.
  const document = parseDocument(text);
  document.set("enabled", isEnabled);
  return document.toString({ flowCollectionPadding: false });
}

function editedYaml(text: string, isEnabled: boolean): string | undefined {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) return undefined;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === "enabled");
  if (pair === undefined) {
    const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    return `${text}${text.endsWith("\n") ? "" : lineEnd}enabled: ${isEnabled}${lineEnd}`;
  }
  const range = isScalar(pair.value) ? pair.value.range : undefined;
  return range ? `${text.slice(0, range[0])}${isEnabled}${text.slice(range[1])}` : undefined;
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
