import * as core from "../../../core/src/text/inert-text.js";
import { textOf } from "./foreign.js";

/** Text from elsewhere on one line, with everything that cannot be seen written out. Accepts values that are not text, too. */
export function inert(text: string): string {
  return core.inertText(textOf(text));
}

/** The same for text of several lines. */
export function inertLines(text: string): string {
  return core.inertLines(textOf(text));
}
