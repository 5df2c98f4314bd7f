import { errorCodes } from "../../packages/core/dist/catalog/error-codes.js";
import { catalog, type EventSpec, families, familyAliases } from "../../packages/core/dist/catalog/events.js";
import { spellingsOf } from "../../packages/core/dist/catalog/names.js";
import { secretShapes } from "../../packages/core/dist/redact/secret-shapes.js";
import { secretWords } from "../../packages/core/dist/redact/secrets.js";

/** What the Python package knows of events: the catalogue, every spelling, and the codes of errors. */
export function pythonCatalog(): string {
  const events = Object.fromEntries(Object.entries(catalog).map(([name, spec]) => [name, rowOf(spec)]));
  const spellings = Object.fromEntries(Object.keys(catalog).flatMap((name) => spellingsOf(name).map((spelling) => [spelling, name])));
  const rows = Object.fromEntries(Object.entries(families).map(([name, spec]) => [name, rowOf(spec)]));
  return `${JSON.stringify({ events, spellings, families: rows, familyAliases, errors: Object.keys(errorCodes) }, null, 1)}\n`;
}

/** What it hides: the words of secret names, and the shapes as patterns of Python's `re`. */
export function pythonSecrets(): string {
  const shapes = secretShapes.map(({ name, words, pattern }) => ({
    name,
    words: [...new Set(words.map((word) => word.toLowerCase()))],
    pattern: pythonPattern(pattern.source),
    isAnyCase: pattern.flags.includes("i"),
  }));
  return `${JSON.stringify({ names: secretWords, shapes }, null, 1)}\n`;
}

function rowOf({ kind, class: importance, outcomes }: EventSpec): object {
  return { kind, class: importance, outcomes };
}

/** Python has no look-behind of varying width, names groups in its own way, and warns of a bracket inside a set. */
function pythonPattern(source: string): string {
  let isSet = false;
  const parts = source.replaceAll(LINE_START, PYTHON_LINE_START).match(/\\k<\w+>|\\.|\(\?<(?![=!])|\[\^\]|[\s\S]/g) ?? [];
  return parts
    .map((part) => {
      if (part === "[^]" && !isSet) return String.raw`[\s\S]`;
      if (part === "[") {
        const isNested = isSet;
        isSet = true;
        return isNested ? String.raw`\[` : part;
      }
      if (part === "]") isSet = false;
      if (isSet) return part;
      if (part.startsWith(String.raw`\k<`)) return `(?P=${part.slice(3, -1)})`;
      return part === "(?<" ? "(?P<" : part === "$" ? String.raw`\Z` : part;
    })
    .join("");
}

const LINE_START = String.raw`(?<=^|[\r\n"']|\\[rn])`;
const PYTHON_LINE_START = String.raw`(?:^|(?<=[\r\n"'])|(?<=\\[rn]))`;
