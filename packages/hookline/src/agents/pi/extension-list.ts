import { basename, dirname, join, relative } from "node:path";
import { compileGlob } from "@hookline/core/internal";
import { readSettings, withSetting } from "../install/json-document.js";
import type { OffSwitch } from "../shared/definition.js";

const SETTING = "extensions";

/**
 * The list `extensions` in pi's settings can leave out an extension that it would find by itself, and pi does not say so: `!pattern` leaves out, `+path`
 * takes that back, `-path` leaves out in any case.
 */
export function extensionList(plugin: string): OffSwitch {
  const folder = dirname(dirname(plugin));
  const names = [relative(folder, plugin), plugin];
  const isExact = (text: string): boolean => names.includes(text.replace(/^\.\//, ""));
  const isMatched = (pattern: string): boolean => [...names, basename(plugin)].some(matcherOf(pattern));
  const leavesOut = (entry: string): boolean =>
    (entry.startsWith("-") && isExact(entry.slice(1))) || (entry.startsWith("!") && isMatched(entry.slice(1)));
  return {
    path: join(folder, "settings.json"),
    says: `does not load Hookline's extension, because "${SETTING}" in its settings leaves it out`,
    isOff(text) {
      const listed = entriesIn(text);
      const isTakenBack = listed.some((entry) => entry.startsWith("+") && isExact(entry.slice(1)));
      return listed.some((entry) => leavesOut(entry) && (entry.startsWith("-") || !isTakenBack));
    },
    turnedOn: (text) =>
      withSetting(
        text,
        [SETTING],
        entriesIn(text).filter((entry) => !leavesOut(entry)),
      ),
  };
}

function entriesIn(text: string): readonly string[] {
  const listed = (Object(readSettings(text)) as { readonly [SETTING]?: unknown })[SETTING];
  return Array.isArray(listed) ? listed.filter((entry): entry is string => typeof entry === "string") : [];
}

/** A pattern with more than stars, question marks and classes counts as one that matches. */
function matcherOf(pattern: string): (path: string) => boolean {
  if (/[{(!]/.test(pattern)) return () => true;
  try {
    return compileGlob(pattern.replaceAll("**/", "*"));
  } catch {
    return () => true;
  }
}
