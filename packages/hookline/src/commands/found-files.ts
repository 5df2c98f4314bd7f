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
  const isAny = isNegated || args.some(({ text }) => text === "-o" || text === "-or" || text === ",");
  // The sign in the middle says that it is not the whole folder.
  if (!isAny && narrowing.some(({ effect }) => effect?.narrows === "empty")) return folders.map((folder) => below(folder, "**?*"));
  const names = isNegated
    ? []
    : narrowing.flatMap(({ effect, value }) => (effect?.narrows === "name" && value !== undefined ? [value] : []));
  // `find . -name .git` finds the one in the folder itself, unless the name is one that is left out: `-name .git -prune -o …`
  const isPruned = args.some(({ text }) => text === "-prune") && isAny;
  const some = depth === "1" ? "*" : "**";
  const isDepthOnly = narrowing.every(({ effect }) => effect?.narrows === "depth");
  const inside = folders.flatMap((folder) =>
    names.length === 0
      ? [below(folder, some)]
      : names.flatMap((name) => [
          below(folder, depth === "1" ? nameOf(name) : `**${nameOf(name)}`),
          ...(isPruned || depth === "1" || !isPlainName(name) ? [] : [atTop(folder, name.text)]),
        ]),
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

function isPlainName({ text, unknown, pattern }: Value): boolean {
  return unknown === undefined && pattern === undefined && !/[*?[\\]/.test(text);
}

function atTop(folder: Value, name: string): Value {
  const found = below(folder, name);
  return folder.pattern === undefined ? { ...found, pattern: undefined } : found;
}

/** Puts what was found or read in the place of a placeholder, or after the last word. */
export function withInputs(words: readonly Value[], inputs: readonly Value[], placeholder: string | undefined): readonly Value[] {
  if (placeholder === undefined || !words.some(({ text }) => text.includes(placeholder))) return [...words, ...inputs];
  return words.flatMap((word) => {
    if (word.text === placeholder) return inputs;
    if (!word.text.includes(placeholder)) return [word];
    return inputs.map((input) => {
      if (input.pattern === undefined && word.pattern === undefined)
        return { ...input, text: word.text.replaceAll(placeholder, () => input.text) };
      const text = withoutQuotesAround(word.text, placeholder);
      const at = text.indexOf(placeholder);
      const [before, after] = [text.slice(0, at), text.slice(at + placeholder.length).replaceAll(placeholder, "*")];
      // In quotes a pattern would be a text.
      const unknown = input.unknown ?? word.unknown ?? (/["']/.test(text) ? `the names for ${placeholder} are not known` : undefined);
      return {
        ...input,
        text: before + input.text + after,
        pattern: escapePattern(before) + patternOf(input) + escapePattern(after),
        unknown,
      };
    });
  });
}

/** A script that writes `"{}.txt"` means the same without these quotes, if the names have no spaces. */
function withoutQuotesAround(text: string, placeholder: string): string {
  return text
    .split(/(["'][^"'\s$`\\]*["'])/)
    .map((piece) => (piece.includes(placeholder) && /^(["']).*\1$/.test(piece) ? piece.slice(1, -1) : piece))
    .join("");
}
