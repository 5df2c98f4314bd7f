import { HookError } from "../catalog/errors.js";
import { printable } from "../text/inert-text.js";

/** Where in a text something stands. */
export interface Place {
  readonly text: string;
  readonly at: number;
}

/** The way out of most mistakes. */
export const quoteIt = "Quote names and values that have spaces, dots or signs.";

const around = 40;

/** The error of everything that cannot be compiled; with a place it shows the text and a caret under the culprit. */
export function badMatch(message: string, place?: Place, cause?: unknown): HookError {
  const details = { position: place?.at };
  return new HookError("HL_BAD_MATCH", message + (place ? excerpt(place) : ""), cause === undefined ? details : { ...details, cause });
}

/** The text and a caret under the culprit. Patterns come from files: they must not move the caret nor drive a terminal. */
export function excerpt({ text, at }: Place): string {
  const start = Math.max(0, at - around);
  return `\n  ${printable(text.slice(start, at + around))}\n  ${" ".repeat(at - start)}^`;
}
