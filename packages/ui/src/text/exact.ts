export interface TextPiece {
  readonly text: string;
  /** Stands for a character that cannot be seen, or not told from another. */
  readonly isSign: boolean;
}

// Controls but line ends and tabs, marks that turn text around, whatever has no width, blanks that are no plain space, halves of pairs.
const UNSEEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A text as it would run: what cannot be seen in it is written out, apart from the rest, so that nobody takes it for something else. */
export function exactPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(UNSEEN)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isSign: false });
    pieces.push({ text: signOf(found), isSign: true });
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isSign: false });
  return pieces;
}

/** What a reader cannot see at a glance, in words. */
export function hiddenNotes(text: string): readonly string[] {
  const unseen = text.match(UNSEEN)?.length ?? 0;
  return [
    ...(unseen > 0 ? [`${unseen === 1 ? "holds a character" : `holds ${unseen} characters`} that cannot be seen`] : []),
    ...(MIXED.test(text) ? ["mixes alphabets within a word: letters that look alike are not the same"] : []),
    ...(FAR_OFF.test(text) ? ["has much empty space before more text: look at its end"] : []),
  ];
}

const MIXED = /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;
const FAR_OFF = /[ \t]{60}[^\s]|\n[ \t\n]{12}[^\s]/;

function signOf(found: string): string {
  return `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
