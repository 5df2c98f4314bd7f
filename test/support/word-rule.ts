export const DAY_MS = 86_400_000;

/** A `[[rule]]` about commands with a word, with an example of it. */
export function wordRule(name: string, word: string, action = "block", more = ""): string {
  return `[[rule]]\nname = "${name}"\ntool = "Bash"\nmatch = "tool.input.command contains ${word}"\ndo = "${action}"\nmessage = "${name} says ${action}"\n${more}[rule.examples]\ncatches = ["${word} x"]\npasses = ["ls"]\n`;
}
