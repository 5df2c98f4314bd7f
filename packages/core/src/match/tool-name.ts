// Control characters, marks that turn the direction of text, whatever has no width or no ink, line separators, halves of pairs.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ASCII = /^[ -~]+$/;

/** Names come from outside; past this many the list starts again. */
const MAX_NAMES = 256;
const known = new Set<string>();

/**
 * Why a tool's name looks like another one that a guard may be about: it has an invisible character, a space at an end, or a character that is
 * another form of an ASCII one (full width, a ligature, a letter of mathematics). Case is not among it, as filters compare in any case, and nor are
 * letters of other alphabets.
 */
export function faultOfName(name: string): string | undefined {
  if (known.has(name)) return undefined;
  const fault = findFault(name);
  if (fault !== undefined) return fault;
  if (known.size >= MAX_NAMES) known.clear();
  known.add(name);
  return undefined;
}

/** The same for the names in the payload of a call, if it has any. */
export function faultOfTool(payload: object): string | undefined {
  const { tool } = payload as { readonly tool?: { readonly name?: unknown; readonly runtimeName?: unknown } | null };
  if (typeof tool !== "object" || tool === null) return undefined;
  const { name, runtimeName } = tool;
  return (
    (typeof name === "string" ? faultOfName(name) : undefined) ?? (typeof runtimeName === "string" ? faultOfName(runtimeName) : undefined)
  );
}

function findFault(name: string): string | undefined {
  if (name !== name.trim()) return "has a space at an end";
  if (ASCII.test(name)) return undefined;
  for (const character of name) {
    if (UNSEEN.test(character)) return `has an invisible character (${codeOf(character)})`;
    const plain = character.normalize("NFKC");
    if (plain !== character && ASCII.test(plain)) return `has another form of "${plain}" (${codeOf(character)})`;
  }
  return undefined;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`;
}
