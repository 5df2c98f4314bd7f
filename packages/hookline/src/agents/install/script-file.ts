/** A program that is ours alone: a plugin in an agent's folder. */
export interface ScriptSyntax {
  readonly script: true;
}

/** The name under which the record has the text of such a file. It stands where other files have events. */
export const SCRIPT = "plugin";

/** The whole text of a file, or nothing if it is not ours. */
export function scriptEntries(text: string, marks: readonly string[]): readonly string[] {
  return marks.some((mark) => text.includes(mark)) ? [text] : [];
}
