import type { Route } from "../../packages/hookline/dist/hub/routes/route.js";
import { contract, errorAnswer } from "../../packages/hookline/dist/hub/routes/schemas.js";
import { steerRecord } from "../../packages/hookline/dist/hub/routes/sessions.js";
import { routes } from "../../packages/hookline/dist/hub/routes/table.js";
import { keptHead } from "../../packages/hookline/dist/hub/routes/verify.js";

/** A schema of the routes. */
export type Schema = NonNullable<Route["answer"]["body"]>;

/** A field of an object, as `protocol.ts` and the docs show it. */
export interface Field {
  readonly name: string;
  /** Without the wrappers for optional values and defaults. */
  readonly schema: Schema;
  readonly isOptional: boolean;
  /** `undefined` is allowed as well as a missing field. */
  readonly mayBeUndefined: boolean;
  readonly description: string;
  readonly defaultValue: unknown;
}

/** The parts of zod's definitions that the walk uses. */
interface Def {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly left?: Schema;
  readonly right?: Schema;
  readonly shape?: { readonly [name: string]: Schema };
  readonly options?: readonly Schema[];
  readonly entries?: { readonly [name: string]: string };
  readonly values?: readonly unknown[];
  readonly defaultValue?: unknown;
}

function defOf(schema: Schema): Def {
  return schema._zod.def as unknown as Def;
}

/** The name of a schema. A copy that only has another description keeps it. */
export function nameOf(schema: Schema): string | undefined {
  const parent = schema._zod.parent as Schema | undefined;
  return contract.get(schema)?.id ?? (parent && nameOf(parent));
}

/** The fields of an object; undefined for every other type. */
export function fieldsOf(schema: Schema): readonly Field[] | undefined {
  const { shape } = defOf(schema);
  return shape && Object.entries(shape).map(([name, field]) => fieldOf(name, field));
}

function fieldOf(name: string, schema: Schema): Field {
  let inner = schema;
  let [isOptional, mayBeUndefined, description, defaultValue]: [boolean, boolean, string, unknown] = [false, false, "", undefined];
  for (;;) {
    const def = defOf(inner);
    // The description of a named type belongs to the type.
    if (description === "" && contract.get(inner) === undefined) description = inner.description ?? "";
    if (def.innerType === undefined || def.type === "nullable") break;
    if (def.type === "default") defaultValue = def.defaultValue;
    isOptional = true;
    mayBeUndefined ||= def.type === "optional" && !inner._zod.traits.has("$ZodExactOptional");
    inner = def.innerType;
  }
  return { name, schema: inner, isOptional, mayBeUndefined, description, defaultValue };
}

/** The type in TypeScript. `object` writes an object without a name. */
export function typeOf(schema: Schema, object: (fields: readonly Field[]) => string): string {
  const def = defOf(schema);
  const of = (inner: Schema | undefined): string => typeOf(inner as Schema, object);
  const name = nameOf(schema);
  if (name !== undefined) return name;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "unknown":
      return def.type;
    case "custom":
      return "object";
    case "enum":
      return Object.values(def.entries ?? {})
        .map((value) => JSON.stringify(value))
        .join(" | ");
    case "literal":
      return (def.values ?? []).map((value) => JSON.stringify(value)).join(" | ");
    case "array":
      return `readonly ${grouped(of(def.element))}[]`;
    case "nullable":
      return `${of(def.innerType)} | null`;
    case "union":
      return (def.options ?? []).map(of).join(" | ");
    case "intersection":
      return `${of(def.left)} & ${of(def.right)}`;
    case "record":
      return `{ readonly [name: string]: ${of(def.valueType)} }`;
    case "object":
      return object(fieldsOf(schema) ?? []);
    default:
      throw new Error(`hub-types.ts does not know the zod type "${def.type}".`);
  }
}

/** An inline object ends with its brace, so it needs no parentheses. */
function grouped(type: string): string {
  return type.includes(" | ") && !type.endsWith("}") ? `(${type})` : type;
}

/** The types with names that are the hub's own, in the order of the routes; each type comes before the types of its fields. */
export function namedTypes(): readonly Schema[] {
  const found: Schema[] = [];
  const names = new Set<string>();
  const visit = (schema: Schema): void => {
    const parent = schema._zod.parent as Schema | undefined;
    if (contract.get(schema) === undefined && parent !== undefined && nameOf(parent) !== undefined) return visit(parent);
    const { id, from } = contract.get(schema) ?? {};
    if (from !== undefined || (id !== undefined && names.has(id))) return;
    if (id !== undefined) {
      names.add(id);
      found.push(schema);
    }
    const { innerType, element, valueType, left, right, shape = {}, options = [] } = defOf(schema);
    for (const inner of [innerType, element, valueType, left, right, ...Object.values(shape), ...options]) if (inner) visit(inner);
  };
  visit(errorAnswer);
  for (const { body, rawBody = {}, answer } of routes)
    for (const schema of [body, ...Object.values(rawBody), answer.body, ...Object.values(answer.events ?? {})]) if (schema) visit(schema);
  for (const schema of [steerRecord, keptHead]) visit(schema);
  return found;
}

/** How the routes use a type: "Body of `POST /api/pause`." */
export function usesOf(schema: Schema): string {
  const routesWith = (test: (route: Route) => boolean): string =>
    routes
      .filter(test)
      .map(({ method, path }) => `\`${method} ${path}\``)
      .join(", ");
  const [bodies, answers] = [routesWith(({ body }) => body === schema), routesWith(({ answer }) => answer.body === schema)];
  return [bodies && `Body of ${bodies}.`, answers && `Answer of ${answers}.`].filter(Boolean).join(" ");
}
