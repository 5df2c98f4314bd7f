import { isList, isRecord } from "./plain-data.js";

interface Budget {
  left: number;
  chars: number;
  /** Only the JSON text matters, so an undefined member counts as missing. */
  readonly isForText: boolean;
  /** A field that JSON leaves out counts: one with a symbol as its name, one that is not enumerable, one on a list. */
  readonly isWhole?: boolean;
}

/** Whether JSON carries the value exactly, within all of the limits. `maxChars`: of all texts and names. May throw what a getter throws. */
export function isPlainJson(
  value: unknown,
  limits: { readonly maxDepth: number; readonly maxNodes: number; readonly maxChars: number },
): boolean {
  return isExact(value, limits.maxDepth, { left: limits.maxNodes, chars: limits.maxChars, isForText: true });
}

/** The same with what is left of a budget. A cycle is too deep and an exploding graph too large, so it needs no set of what it has seen. */
export function isExact(value: unknown, depth: number, budget: Budget): boolean {
  if (value === undefined) return budget.isForText;
  if (typeof value === "string") {
    budget.chars -= value.length;
    return budget.chars >= 0;
  }
  if (typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || depth < 1 || hasToJson(value)) return false;
  if (budget.isWhole === true && ((!isRecord(value) && !isList(value)) || hasHiddenFields(value))) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (--budget.left < 0 || !isExact(value[i], depth - 1, budget)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  // As quick as a loop can be: a record has nothing to inherit but what a host has added to every object, and that is only looked at as well.
  for (const key in value) {
    budget.chars -= key.length;
    if (--budget.left < 0 || !isExact((value as Record<string, unknown>)[key], depth - 1, budget)) return false;
  }
  return true;
}

export function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

/** Whether there are fields that are not in its JSON. A list has its items and its length; a hole in it is an item, too. */
export function hasHiddenFields(value: object): boolean {
  const own = Reflect.ownKeys(value).length;
  return Array.isArray(value) ? own > value.length + 1 || hasNamedItems(value, own) : own > Object.keys(value).length;
}

/** Only a list with holes can hide a named field among as many fields as it has items. */
function hasNamedItems(list: readonly unknown[], own: number): boolean {
  if (own === list.length + 1 && list.every((_, index) => Object.hasOwn(list, index))) return false;
  return Reflect.ownKeys(list).some((key) => key !== "length" && (typeof key === "symbol" || !/^\d+$/.test(key)));
}
