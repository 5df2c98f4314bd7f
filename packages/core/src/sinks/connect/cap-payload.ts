/** Stands where there was too much: how many bytes of JSON it took and, for text, how it begins. */
export interface Truncated {
  readonly $hookline: "truncated";
  readonly bytes: number;
  readonly text?: string;
}

export interface Capped {
  readonly payload: unknown;
  /** Of its JSON, in UTF-8. */
  readonly bytes: number;
}

/**
 * Keeps a payload of plain JSON data within a size. Long texts in it are cut first, so that names and ids stay readable; a payload that
 * is still too large becomes a marker.
 */
export function capPayload(payload: unknown, maxBytes: number): Capped {
  const bytes = bytesOf(payload);
  if (bytes <= maxBytes) return { payload, bytes };
  for (const share of TEXT_SHARES) {
    const cut = cutTexts(payload, Math.floor(maxBytes * share));
    const left = bytesOf(cut);
    if (left <= maxBytes) return { payload: cut, bytes: left };
  }
  return truncatedMarker(payload);
}

/** The longest beginning of a text that fits into so many bytes of UTF-8, without half a character. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  if (bytes.length <= maxBytes) return endWhole(text.slice(0, maxBytes));
  let end = maxBytes;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

/** How much of the cap one text may take, tried one after the other. */
const TEXT_SHARES = [1 / 2, 1 / 8, 1 / 32, 1 / 128];

/** A copy in which every longer text is a marker with its beginning. */
export function cutTexts(node: unknown, maxBytes: number): unknown {
  if (typeof node === "string") {
    const bytes = Buffer.byteLength(node);
    return bytes <= maxBytes ? node : ({ $hookline: "truncated", bytes, text: cutText(node, maxBytes) } satisfies Truncated);
  }
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => cutTexts(item, maxBytes));
  if (isCut(node)) return { ...node, text: cutText(node.text, maxBytes) };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, cutTexts(value, maxBytes)]));
}

/**
 * Whether a payload stays larger than this however its texts are cut. Says so early: of what has many members, only so many are counted.
 * Redaction need not search what becomes a marker in the end.
 */
export function isBeyondCutting(payload: unknown, maxBytes: number): boolean {
  const longest = Math.floor(maxBytes * (TEXT_SHARES.at(-1) as number));
  let left = maxBytes;
  const isOver = (node: unknown): boolean => {
    // At least a digit and a comma, or two quotes; no text counts for more than what is left of it after the last cut.
    left -= typeof node === "string" ? Math.min(node.length, longest) + 2 : 2;
    if (left < 0) return true;
    if (typeof node !== "object" || node === null) return false;
    if (Array.isArray(node)) return node.some(isOver);
    for (const key in node) {
      left -= key.length + 3;
      if (isOver((node as { readonly [key: string]: unknown })[key])) return true;
    }
    return false;
  };
  return isOver(payload);
}

/** What stands for a payload that is too large. */
export function truncatedMarker(payload: unknown): Capped {
  const marker: Truncated = { $hookline: "truncated", bytes: bytesOf(payload) };
  return { payload: marker, bytes: bytesOf(marker) };
}

export function holdsLongText(node: unknown, maxLength: number): boolean {
  if (typeof node === "string") return node.length > maxLength;
  return typeof node === "object" && node !== null && Object.values(node).some((member) => holdsLongText(member, maxLength));
}

/** Shortens what was cut before it was searched: a secret that the cut went through no longer has its shape. Changes its argument. */
export function dropCutEnds(node: unknown): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (isCut(node)) return { ...node, text: endWhole(node.text.slice(0, -LONGEST_SECRET)) };
  const record = node as Record<string, unknown>;
  for (const key of Object.keys(record)) if (key !== "__proto__") record[key] = dropCutEnds(record[key]);
  return record;
}

const LONGEST_SECRET = 4_096;

function isCut(node: object): node is Truncated & { readonly text: string } {
  const { $hookline, text } = node as { readonly $hookline?: unknown; readonly text?: unknown };
  return $hookline === "truncated" && typeof text === "string";
}

// The first half of a surrogate pair is not a character.
function endWhole(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
