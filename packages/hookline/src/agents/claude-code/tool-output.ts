import { isObject, type Json } from "../shared/native-payload.js";
import { outputText } from "../shared/output-text.js";

interface CallOutput {
  /** The name of the tool in Claude Code. */
  readonly tool: string;
  /** The tool's output. Missing if it is unknown. */
  readonly original: unknown;
}

/**
 * A new output for a tool, in the shape that Claude Code expects from that tool: it drops any other shape and shows the model the original. A value
 * that differs from the original only in its texts has that shape. For any other value, its text replaces the texts of the original.
 */
export function claudeOutput(value: unknown, { tool, original }: CallOutput): unknown {
  if (tool.startsWith("mcp__") || typeof original === "string") return isContent(value) ? value : outputText(value);
  if (isAlike(value, original)) return value;
  const text = outputText(value);
  const shape = Object.hasOwn(shapes, tool) ? shapes[tool] : undefined;
  if (shape !== undefined) return shape(text);
  return isObject(original) || Array.isArray(original) ? filled(original, text) : command(text);
}

/** Outputs with a flag or type that describes their content: an image has no field for other text. */
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

/** Output of an MCP tool: text, or blocks of text. */
function isContent(value: unknown): boolean {
  const isText = (block: unknown): boolean => isObject(block) && block.type === "text" && typeof block.text === "string";
  return typeof value === "string" || (Array.isArray(value) && value.length > 0 && value.every(isText));
}

/** Fields that hold the kind of something. Claude Code accepts only words that it knows there. */
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

/** The shape of the original, with this text in place of each of its texts and without its numbers and flags. A list keeps one entry. */
function filled(original: unknown, text: string, key = ""): unknown {
  // Not 0: for 0 files, Claude Code would tell the model that there are none.
  if (typeof original === "number") return 1;
  if (typeof original === "boolean") return false;
  if (typeof original === "string") return original === "" || (KINDS.includes(key) && isWord(original)) ? original : text;
  if (Array.isArray(original)) return original.slice(0, 1).map((one) => filled(one, text, key));
  if (!isObject(original)) return original;
  if (original.type === "image" || original.type === "document") return { type: "text", text };
  return Object.fromEntries(Object.entries(original).map(([name, member]) => [name, filled(member, text, name)]));
}

/** A word that a program writes there. Text that only looks like one is equally short. */
function isWord(text: string): boolean {
  return /^[a-z][a-z_]{0,31}$/.test(text);
}
