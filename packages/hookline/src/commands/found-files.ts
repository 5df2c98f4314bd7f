import type { FoundOption } from "./options.js";
import { escapePattern, literal, patternOf, type Value } from "./value.js";

/** What a program that goes through folders finds, as patterns. Without a test it finds its starting points too. */
export function foundFiles(
  options: readonly FoundOption[],
  starts: readonly Value[],
  args: readonly { readonly text: string }[],
): readonly Value[] {
  const folders = starts.length === 0 ? [literal(".")] : starts;
  const narrowing = options.filter(({ effect }) => effect?.narrows !== undefined);
  if (narrowing.length === 0) return folders.flatMap((folder) => [folder, below(folder, "**")]);
  const depth = narrowing.find(({ effect }) => effect?.narrows === "depth")?.value?.text;
  if (depth === "0") return folders;
  // A negated test leaves the other files.
  const isNegated = args.some(({ text }) => text === "!" || text === "-not");
  const names = isNegated
    ? []
    : narrowing.flatMap(({ effect, value }) => (effect?.narrows === "name" && value !== undefined ? [value] : []));
  const some = depth === "1" ? "*" : "**";
  const isDepthOnly = narrowing.every(({ effect }) => effect?.narrows === "depth");
  const inside = folders.flatMap((folder) =>
    names.length === 0 ? [below(folder, some)] : names.map((name) => below(folder, depth === "1" ? nameOf(name) : `**${nameOf(name)}`)),
  );
  return isDepthOnly ? [...folders, ...inside] : inside;
}

/** find reads the pattern itself, so a star in quotes is one. */
function nameOf({ text, unknown, pattern }: Value): string {
  if (unknown !== undefined) return "**";
  return pattern ?? (/[*?[]/.test(text) ? text : escapePattern(text));
}

function below(folder: Value, pattern: string): Value {
  const start = patternOf(folder).replace(/\/+$/, "");
  return { ...folder, text: `${folder.text.replace(/\/+$/, "")}/${pattern}`, pattern: `${start}/${pattern}` };
}

/** Puts what was found or read in the place of a placeholder, or after the last word. */
export function withInputs(words: readonly Value[], inputs: readonly Value[], placeholder: string | undefined): readonly Value[] {
  if (placeholder === undefined || !words.some(({ text }) => text.includes(placeholder))) return [...words, ...inputs];
  return words.flatMap((word) => {
    if (word.text === placeholder) return inputs;
    const at = word.text.indexOf(placeholder);
    if (at < 0) return [word];
    const [before, after] = [word.text.slice(0, at), word.text.slice(at + placeholder.length).replaceAll(placeholder, "*")];
    return inputs.map((input) => {
      const isExact = input.pattern === undefined && word.pattern === undefined;
      const pattern = isExact ? undefined : escapePattern(before) + patternOf(input) + escapePattern(after);
      return { ...input, text: before + input.text + after, pattern };
    });
  });
}
