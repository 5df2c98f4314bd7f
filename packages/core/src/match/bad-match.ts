import { HookError } from "../catalog/errors.js";
import { printable } from "../text/inert-text.js";

/** A position in a text. */
export interface Place {
  readonly text: string;
  readonly at: number;
}

/** The advice that solves most mistakes. */
export const quoteIt = "Quote names and values that have spaces, dots or signs.";

const around = 40;

/** The error for a match that cannot be compiled. With a place it shows the text and a caret under the mistake. */
export function badMatch(message: string, place?: Place, cause?: unknown): HookError {
  const details = { position: place?.at };
  return new HookError("HL_BAD_MATCH", message + (place ? excerpt(place) : ""), cause === undefined ? details : { ...details, cause });
}

/** The text and a caret under the mistake. Patterns come from files, so control characters in them must not reach the terminal. */
export function excerpt({ text, at }: Place): string {
  const start = Math.max(0, at - around);
  return `\n  ${printable(text.slice(start, at + around))}\n  ${" ".repeat(at - start)}^`;
}
