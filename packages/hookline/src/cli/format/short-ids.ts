const LEAST = 8;

/** The beginning of each id that no other one has, for people to type. */
export function shortIds(ids: readonly string[]): string[] {
  const sorted = [...new Set(ids)].sort();
  const lengths = new Map(
    sorted.map((id, index) => [id, Math.max(LEAST, shared(id, sorted[index - 1]) + 1, shared(id, sorted[index + 1]) + 1)]),
  );
  return ids.map((id) => id.slice(0, lengths.get(id)));
}

/** How many characters two ids begin with in common. */
function shared(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length++;
  return length;
}
