import { isObject, type Json } from "../shared/native-payload.js";
import { outputText } from "../shared/output-text.js";

interface CallOutput {
  /** Its tool, by Claude Code's name. */
  readonly tool: string;
  /** What the tool gave. Missing where that is not known. */
  readonly original: unknown;
}

/**
 * Another output of a tool, in the shape that Claude Code wants of that tool: it drops any other, and shows the model the original. A value
 * that differs from the original only in its texts has that shape. Of every other value the text takes the place of the original's texts.
 */
export function claudeOutput(value: unknown, { tool, original }: CallOutput): unknown {
  if (tool.startsWith("mcp__") || typeof original === "string") return isContent(value) ? value : outputText(value);
  if (isAlike(value, original)) return value;
  const text = outputText(value);
  const shape = Object.hasOwn(shapes, tool) ? shapes[tool] : undefined;
  if (shape !== undefined) return shape(text);
  return isObject(original) || Array.isArray(original) ? filled(original, text) : command(text);
}

/** Outputs that say in a flag or a type of their own what their text is: an image's has no place for another text. */
const shapes: { readonly [tool: string]: (text: string) => Json } = {
  Bash: command,
  PowerShell: command,
  Read: (text) => {
    const lines = text.split("\n").length;
    return { type: "text", file: { filePath: "", content: text, numLines: lines, startLine: 1, totalLines: lines } };
  },
};

function command(text: string): Json {
  return { stdout: text, stderr: "", interrupted: false, isImage: false };
}

/** What a tool of an MCP server may give: text, or blocks of it. */
function isContent(value: unknown): boolean {
  const isText = (block: unknown): boolean => isObject(block) && block.type === "text" && typeof block.text === "string";
  return typeof value === "string" || (Array.isArray(value) && value.length > 0 && value.every(isText));
}

/** Fields that say of what kind something is. Claude Code knows every word that may stand there. */
const KINDS: readonly string[] = ["type", "kind", "mode", "status", "state", "media_type", "role", "action", "operation"];

/** For the script, which withholds an output without Node. */
export const outputShapes = { fixedTools: Object.keys(shapes), kindFields: KINDS };

function isAlike(value: unknown, original: unknown, key = ""): boolean {
  if (typeof value === "string") return typeof original === "string" && (value === original || !KINDS.includes(key));
  if (Array.isArray(value))
    return Array.isArray(original) && value.length <= original.length && value.every((one, at) => isAlike(one, original[at], key));
  if (!isObject(value)) return Object.is(value, original);
  if (!isObject(original)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(original).length &&
    names.every((name) => Object.hasOwn(original, name) && isAlike(value[name], original[name], name))
  );
}

/** The original's shape with this text for each of its own, and no number or flag of it. Of a list one entry is enough. */
function filled(original: unknown, text: string, key = ""): unknown {
  // Not 0: of no files, Claude Code would tell the model that there are none.
  if (typeof original === "number") return 1;
  if (typeof original === "boolean") return false;
  if (typeof original === "string") return original === "" || (KINDS.includes(key) && isWord(original)) ? original : text;
  if (Array.isArray(original)) return original.slice(0, 1).map((one) => filled(one, text, key));
  if (!isObject(original)) return original;
  if (original.type === "image" || original.type === "document") return { type: "text", text };
  return Object.fromEntries(Object.entries(original).map(([name, member]) => [name, filled(member, text, name)]));
}

/** One of the words that a program writes there. A text that only looks like one is as short. */
function isWord(text: string): boolean {
  return /^[a-z][a-z_]{0,31}$/.test(text);
}
