import { isDeepStrictEqual } from "node:util";
import { stripComments } from "jsonc-parser";
import { plainValue } from "./hook-lists.js";
import { parseDocument } from "./json-document.js";
import { type FileSyntax, isJson, isScript } from "./line-file.js";
import { type OurHooks, ourEvents, removeHooks } from "./remove-hooks.js";

const BOM = "\ufeff";

type Values = { readonly [key: string]: unknown };

/** Whether a file that should be ours alone is so, also has content of others, or has none of ours. */
export function whoseIs(text: string, ours: OurHooks & { readonly own?: Values }): "ours" | "shared" | "foreign" {
  const { body } = splitMark(text);
  // An empty file in the place of our plugin: its text is lost.
  if (isScript(ours.syntax) && body.replaceAll("\0", "").trim() === "") return "ours";
  const events = ourEvents(body, ours);
  if (events.length === 0) return "foreign";
  const rest = removeHooks(body, ours, [{ path: ["hooks"] }, ...events.map((event) => ({ path: ["hooks", event] }))]);
  return isNothingBut(rest, ours.own ?? {}, ours.syntax) ? "ours" : "shared";
}

/** Whether a file contains exactly this, without comments. */
export function isNothingBut(text: string, value: Values, syntax: FileSyntax): boolean {
  if (!isJson(syntax)) return text.trim() === "";
  const hasComment = stripComments(text) !== text;
  return !hasComment && isDeepStrictEqual(plainValue(parseDocument(text, syntax).root), JSON.parse(JSON.stringify(value)));
}

/** The byte order mark, and the text after it. */
export function splitMark(text: string): { readonly bom: string; readonly body: string } {
  return text.startsWith(BOM) ? { bom: BOM, body: text.slice(1) } : { bom: "", body: text };
}
