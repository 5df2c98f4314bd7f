/** About how many characters a value has as JSON; stops counting above a limit, so that the largest costs no more than that. */
export function weightOf(value: unknown, limit: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let weight = 2;
  for (const [key, member] of Object.entries(value)) {
    weight += key.length + 4 + weightOf(member, limit - weight);
    if (weight > limit) break;
  }
  return weight;
}
