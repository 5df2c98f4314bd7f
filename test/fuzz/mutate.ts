// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a shell
import type { createRandom } from "../faults/oracle.ts";

type Random = ReturnType<typeof createRandom>;

const MAX_BYTES = 64 * 1024;

/** Values that programs forget, as JSON. */
const NASTY_JSON = [
  ...[
    "null",
    "true",
    "-0",
    "1e999",
    "9007199254740993",
    "-1",
    "0.1",
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\\ufeff"',
    "[]",
    "{}",
    "[[[[[[]]]]]]",
  ],
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '"__proto__"', '"\u001b]8;;x\u0007"', '"\u202e"', '"</script>"'],
  ...["[null]", '{"":1}', '"9999-99-99T99:99:99Z"', '{"length":5}', '"../../../etc/passwd"', '"javascript:x"', '["a",{"b":[1]}]'],
];

/** Bytes that programs forget. */
const NASTY_BYTES = [
  "\0",
  "\r\n",
  "\n\n",
  "\ufeff",
  "\u2028",
  "\u0085",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "\\",
  "\t",
  "%00",
  "${x}",
  "`",
  "&&",
  "#",
].map((text) => Buffer.from(text));

/** A new input from a kept one: its text, its bytes or its JSON changed one to six times. */
export function mutate(base: Buffer, random: Random, words: readonly string[], other: Buffer): Buffer {
  let made = base;
  for (let count = random.between(1, 6); count > 0; count--) {
    const asJson = random.next() < 0.5 ? mutateJson(made, random, words) : undefined;
    made = asJson ?? random.pick(CHANGES)(made, random, words, other);
    if (made.length > MAX_BYTES) made = made.subarray(0, MAX_BYTES);
  }
  return made;
}

type Change = (bytes: Buffer, random: Random, words: readonly string[], other: Buffer) => Buffer;

const CHANGES: readonly Change[] = [
  // Flips a bit.
  (bytes, random) => {
    const made = Buffer.from(bytes);
    const at = random.between(0, Math.max(0, made.length - 1));
    if (made.length > 0) made[at] = (made[at] as number) ^ (1 << random.between(0, 7));
    return made;
  },
  // Leaves a part out.
  (bytes, random) => splice(bytes, partOf(bytes, random), Buffer.alloc(0)),
  // Cuts the end.
  (bytes, random) => bytes.subarray(0, random.between(0, bytes.length)),
  // Puts a part in twice, or very often.
  (bytes, random) => {
    const [from, to] = partOf(bytes, random);
    const part = bytes.subarray(from, to);
    const times = random.pick([1, 1, 2, 8, 64, 1_024]);
    return splice(
      bytes,
      [to, to],
      Buffer.concat(Array.from({ length: Math.min(times, Math.ceil(MAX_BYTES / Math.max(1, part.length))) }, () => part)),
    );
  },
  (bytes, random, words) => splice(bytes, partOf(bytes, random), Buffer.from(words.length === 0 ? "" : random.pick(words))),
  (bytes, random, words) => splice(bytes, pointIn(bytes, random), Buffer.from(words.length === 0 ? "" : ` ${random.pick(words)} `)),
  (bytes, random) => splice(bytes, pointIn(bytes, random), random.pick(NASTY_BYTES)),
  (bytes, random) => splice(bytes, partOf(bytes, random), Buffer.from(random.pick(NASTY_JSON))),
  (bytes, random) => splice(bytes, pointIn(bytes, random), Buffer.from([random.between(128, 255), random.between(0, 255)])),
  // The beginning of one and the end of another.
  (bytes, random, _, other) =>
    Buffer.concat([bytes.subarray(0, random.between(0, bytes.length)), other.subarray(random.between(0, other.length))]),
  // Deep.
  (bytes, random) => {
    const depth = random.pick([20, 70, 500, 5_000]);
    const [open, close] = random.pick([
      ["[", "]"],
      ['{"a":', "}"],
      ["(", ")"],
      ["$(", ")"],
      ["{", "}"],
    ] as const);
    return splice(bytes, pointIn(bytes, random), Buffer.from(open.repeat(depth) + close.repeat(random.pick([depth, depth, 0]))));
  },
];

function partOf(bytes: Buffer, random: Random): [number, number] {
  const from = random.between(0, bytes.length);
  return [from, Math.min(bytes.length, from + random.pick([1, 2, 5, 20, 200, bytes.length]))];
}

function pointIn(bytes: Buffer, random: Random): [number, number] {
  const at = random.between(0, bytes.length);
  return [at, at];
}

function splice(bytes: Buffer, [from, to]: readonly [number, number], part: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(to)]);
}

/** Changes one value, key or entry of a document, of the last line of several, or nothing where it is not JSON. */
function mutateJson(bytes: Buffer, random: Random, words: readonly string[]): Buffer | undefined {
  const text = bytes.toString("utf8");
  const lines = text.split("\n");
  const at = random.between(0, lines.length - 1);
  const start = (lines[at] as string).indexOf("{");
  if (start === -1) return undefined;
  try {
    const holder = { document: JSON.parse((lines[at] as string).slice(start)) as unknown };
    const [inside, key] = random.pick(placesIn(holder));
    change(inside, key, random, words);
    lines[at] = (lines[at] as string).slice(0, start) + JSON.stringify(holder.document);
    return Buffer.from(lines.join("\n"));
  } catch {
    return undefined;
  }
}

type Inside = { [key: string]: unknown };

function placesIn(value: unknown, depth = 0): [Inside, string][] {
  if (typeof value !== "object" || value === null || depth > 40) return [];
  return Object.keys(value).flatMap((key) => [[value as Inside, key] as [Inside, string], ...placesIn((value as Inside)[key], depth + 1)]);
}

function change(inside: Inside, key: string, random: Random, words: readonly string[]): void {
  const value = inside[key];
  const kind = random.between(0, 5);
  if (kind === 0) delete inside[key];
  else if (kind === 1 && typeof value === "string") inside[key] = value + (words.length === 0 ? "x" : random.pick(words));
  else if (kind === 2 && words.length > 0) inside[random.pick(words)] = value;
  else if (kind === 3) inside[key] = Array.isArray(value) ? [...value, ...value] : [value];
  else if (kind === 4 && typeof value === "string") inside[key] = value.repeat(random.pick([0, 2, 100, 2_000])).slice(0, MAX_BYTES);
  else inside[key] = JSON.parse(random.pick(NASTY_JSON));
}
