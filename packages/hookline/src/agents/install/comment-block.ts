/** The comments around our lines in a file that is edited as text, so that removing them leaves the other lines as they were. */
export const MANAGED_BEGIN = '# Hookline begins here. Written by "hookline attach --managed"; "hookline detach --managed" removes it.';
export const BEGIN = '# Hookline begins here. Written by "hookline attach"; "hookline detach" removes it.';
const END = "# Hookline ends here.";
/** Before the line that a block stands in place of. */
const INSTEAD = "# Hookline replaced this line: ";

interface Block {
  readonly begin?: string;
  /** Before each of the lines. */
  readonly indent?: string;
  /** The line that it replaces. It comes back when the block is removed. */
  readonly instead?: string;
}

/** Our lines between the comments. */
export function commentBlock(lines: readonly string[], { begin = BEGIN, indent = "", instead }: Block = {}): string {
  const all = [begin, ...(instead === undefined ? [] : [`${INSTEAD}${instead}`]), ...lines, END];
  return all.map((line) => `${indent}${line}\n`).join("");
}

/** Removes our lines. A text in which one of our comments is missing keeps the lines between: what is ours is not known then. */
export function withoutBlocks(text: string): string {
  let [isOurs, isBroken] = [false, false];
  const kept = text.split("\n").flatMap((line) => {
    const bare = line.trim();
    if ([BEGIN, MANAGED_BEGIN].includes(bare)) {
      isBroken ||= isOurs;
      isOurs = true;
    }
    const isKept = !isOurs;
    if (bare === END) isOurs = false;
    return isKept ? [line] : bare.startsWith(INSTEAD) ? [bare.slice(INSTEAD.length)] : [];
  });
  return isOurs || isBroken ? text : kept.join("\n");
}
