export type Json = { readonly [key: string]: unknown };

/** An agent's payload, read field by field. A field of the wrong type counts as missing and is recorded. */
export interface NativePayload {
  readonly fields: Json;
  /** The fields that were present but could not be read. */
  readonly unreadable: readonly string[];
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  flag(name: string): boolean;
  object(name: string): Json | undefined;
  /** Like `text`, for a required field: its absence is recorded too. */
  needed(name: string): string;
  /** Like `object`, for a required field. */
  neededObject(name: string): Json | undefined;
}

export function readNative(payload: unknown): NativePayload {
  const fields = isObject(payload) ? payload : {};
  const unreadable: string[] = isObject(payload) ? [] : ["payload"];
  const note = (name: string) => void (unreadable.includes(name) || unreadable.push(name));
  const own = (name: string) => (Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined);
  const typed = <T>(name: string, is: (value: unknown) => value is T): T | undefined => {
    const value = own(name);
    if (value === undefined || is(value)) return value;
    note(name);
    return undefined;
  };
  const text = (name: string) => typed(name, isText);
  const object = (name: string) => typed(name, isObject);
  return {
    fields,
    unreadable,
    text,
    number: (name) => typed(name, isNumber),
    flag: (name) => own(name) === true,
    object,
    needed(name) {
      const value = text(name);
      if (value === undefined) note(name);
      return value ?? "";
    },
    neededObject(name) {
      const value = object(name);
      if (value === undefined) note(name);
      return value;
    },
  };
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entries that have a value, because `exactOptionalPropertyTypes` does not allow `undefined`. */
export function present(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
