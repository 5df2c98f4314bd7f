/** About how many characters a value has as JSON; stops counting above a limit, so that the largest costs no more than that. */
export function weightOf(value: unknown, limit: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let weight = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= limit; index++) weight += 1 + weightOf(value[index], limit - weight);
    return weight;
  }
  const record = value as { readonly [key: string]: unknown };
  for (const key in record) {
    weight += key.length + 4 + weightOf(record[key], limit - weight);
    if (weight > limit) break;
  }
  return weight;
}
