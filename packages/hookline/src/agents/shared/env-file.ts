interface Wanted {
  readonly name: string;
  /** An empty value counts, too. */
  readonly isFlag?: boolean;
}

/** Where a line ends for the readers of such files: for some of them at more signs than for others. */
const LINE = /[\n\r\u2028\u2029]/;

/**
 * The variables of a list that a file such as `.env` sets, for any of its readers. It looks for the names, and not for lines and quotes: readers
 * disagree on what is a text of several lines, and their own expression takes minutes for a file that was made for it.
 */
export function variablesIn(text: string, wanted: readonly Wanted[]): readonly string[] {
  return wanted.filter(({ name, isFlag = false }) => isSet(text, name, isFlag)).map(({ name }) => name);
}

function isSet(text: string, name: string, isFlag: boolean): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    // Most names in a file that was made to take long end here.
    if (at > 0 && !/[\s"'`]/.test(text[at - 1] ?? "")) continue;
    if (!/^\s*(?:["'`]|export\s)?\s*$/.test(lineBefore(text, at))) continue;
    const rest = text.slice(at + name.length);
    // The sign may be on a later line.
    const sign = /^["'`]?\s*[=:]/.exec(rest)?.[0];
    if (sign !== undefined && (isFlag || !isEmpty(rest.slice(sign.length)))) return true;
  }
  return false;
}

function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_BEFORE), at);
  return before.split(LINE).at(-1) ?? "";
}

/** A longer beginning of a line is more than white space and `export`, or was made to take long. */
const MAX_BEFORE = 200;

/** Without a value on its line. A text in quotes may begin on a later line. */
function isEmpty(rest: string): boolean {
  const [line = ""] = rest.split(LINE, 1);
  const value = line.trim().replace(/^(["'`])\1/, "");
  if (value !== "" && !value.startsWith("#")) return false;
  return line.trim() !== "" || !/^\s*["'`]/.test(rest);
}
