import { countText, pluralText } from "./amounts.js";

export interface TextPiece {
  readonly text: string;
  /** Stands for an invisible character, or not be told from something else. */
  readonly isSign: boolean;
}

// Controls but line ends and tabs, marks that turn text around, whatever has no width, blanks other than a plain space, halves of pairs.
const UNSEEN = "(?![\\n\\t ])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]";
const ONE_UNSEEN = new RegExp(UNSEEN, "gu");
/** Also what pushes the rest out of sight: empty lines, long gaps, and heaps of marks above one another. */
const SIGNS = new RegExp(
  `(?<lines>\\n(?:[ \\t]*\\n){3,})|(?<gap>[ \\t]{40,})|(?<unseen>${UNSEEN})\\k<unseen>*|(?<=\\p{M}{4})(?<marks>\\p{M}+)`,
  "gu",
);

/** A text as it would run. Invisible characters are written out and marked, so they cannot be mistaken for something else. */
export function exactPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  const add = (piece: string, isSign = false): void => void (piece !== "" && pieces.push({ text: piece, isSign }));
  let end = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(SIGNS)) {
    add(text.slice(end, index) + (groups.lines === undefined ? "" : "\n"));
    add(signOf(found, groups), true);
    end = index + found.length - (groups.lines === undefined ? 0 : 1);
  }
  add(text.slice(end));
  return pieces;
}

function signOf(found: string, { lines, gap, unseen, marks }: { readonly [name: string]: string | undefined }): string {
  if (lines !== undefined) return `${countText(found.split("\n").length - 2)} empty lines`;
  if (gap !== undefined) return `${countText(found.length)} blanks`;
  if (marks !== undefined) return pluralText(found.length, "more mark");
  const count = found.length / (unseen?.length ?? 1);
  return `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}${count > 1 ? ` ×${countText(count)}` : ""}`;
}

/** What a reader cannot see at a glance, in words. */
export function hiddenNotes(text: string): readonly string[] {
  const unseen = text.match(ONE_UNSEEN)?.length ?? 0;
  return [
    ...(unseen > 0 ? [`${unseen === 1 ? "holds a character" : `holds ${countText(unseen)} characters`} that cannot be seen`] : []),
    ...(MIXED.test(text) ? ["mixes alphabets within a word: letters that look alike are not the same"] : []),
    ...(isFarOff(text) ? ["has much empty space before more text: look at its end"] : []),
  ];
}

const MIXED = /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;
const GAPS = /[ \t]{60,}|\n[ \t\n]{12,}/g;

/** Each gap is looked at once: an expression that also looks at what follows would start again at every blank. */
function isFarOff(text: string): boolean {
  for (const { 0: gap, index } of text.matchAll(GAPS)) if (/\S/.test(text.charAt(index + gap.length))) return true;
  return false;
}
