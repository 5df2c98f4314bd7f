import { type Fields, fieldsOf } from "../protocol/message.js";

/**
 * A field that some servers take for another one: parsers of Go read `Name` as `name`, and of both the last one. Guards would have read the
 * other. A field that is known itself is ignored.
 */
export function lookAlikeIn(fields: Fields, known: readonly string[]): string | undefined {
  const found = Object.keys(fields).find((key) => !known.includes(key) && known.some((name) => folded(name) === folded(key)));
  return found === undefined
    ? undefined
    : `servers may read ${JSON.stringify(found)} as "${known.find((name) => folded(name) === folded(found))}"`;
}

/** What a server says, without fields that some clients take for a known one: what they hold has not been compared with the pins. */
export function withoutLookAlikes(fields: Fields, known: readonly string[]): Fields {
  if (lookAlikeIn(fields, known) === undefined) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => lookAlikeIn({ [key]: value }, known) === undefined));
}

/** Look-alikes in the arguments of a tool, at every level that the tool's schema describes. */
export function lookAlikeInArguments(input: Fields, schema: Fields): string | undefined {
  const find = (value: unknown, schemas: ReadonlySet<Fields>): string | undefined => {
    if (schemas.size === 0) return undefined;
    if (Array.isArray(value)) {
      const items = alternatives(
        schema,
        [...schemas].flatMap(({ items, prefixItems }) => [items, ...listOf(prefixItems)]),
      );
      return first(value, (one) => find(one, items));
    }
    const fields = fieldsOf(value);
    const known = [...new Set([...schemas].flatMap(({ properties }) => Object.keys(fieldsOf(properties))))];
    const inside = (key: string): ReadonlySet<Fields> =>
      alternatives(
        schema,
        [...schemas].map(({ properties, additionalProperties }) => ownOf(properties, key) ?? additionalProperties),
      );
    return lookAlikeIn(fields, known) ?? first(Object.entries(fields), ([key, inner]) => find(inner, inside(key)));
  };
  return find(input, alternatives(schema, [schema]));
}

/** The schemas, and what they refer to or are made of: each of them once. */
function alternatives(root: Fields, schemas: readonly unknown[]): ReadonlySet<Fields> {
  const found = new Set<Fields>();
  const waiting = [...schemas];
  while (waiting.length > 0) {
    const schema = fieldsOf(waiting.pop());
    if (found.has(schema) || Object.keys(schema).length === 0) continue;
    found.add(schema);
    const { $ref, anyOf, oneOf, allOf } = schema;
    waiting.push(referred(root, $ref), ...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf));
  }
  return found;
}

/** What `#/$defs/place` points at. */
function referred(root: Fields, ref: unknown): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  const names = ref.split("/").slice(1);
  return names.reduce<unknown>((value, name) => ownOf(value, name.replaceAll("~1", "/").replaceAll("~0", "~")), root);
}

function ownOf(value: unknown, name: string): unknown {
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function first<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Go also folds the long s and the sign for kelvin. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase();
}
