import { accessOf } from "../../packages/hookline/dist/hub/auth/access.js";
import type { Route } from "../../packages/hookline/dist/hub/routes/route.js";
import { routes } from "../../packages/hookline/dist/hub/routes/table.js";
import { type Field, fieldsOf, namedTypes, nameOf, type Schema, typeOf, usesOf } from "./hub-types.ts";
import { blocks, code, fillMarkers, table } from "./markdown.ts";

/** The named types that are neither a body nor an answer, because those have their tables at the routes. */
const innerTypes = namedTypes().filter((schema) => usesOf(schema) === "");
const innerNames = new Set(innerTypes.map(nameOf));

/** `docs/hub-api.md`: the prose as it is, and between its markers the tables of the routes and types. */
export function hubApiPage(current: string): string {
  return fillMarkers(current, contentFor);
}

function contentFor(what: string): string {
  if (what === "types") return blocks(...innerTypes.map(typeBlock));
  const route = routes.find(({ method, path }) => `${method} ${path}` === what);
  if (route === undefined) throw new Error(`docs/hub-api.md has a marker for "${what}", which is not a route.`);
  return routeBlock(route);
}

function routeBlock({ access, operatesWhen, summary, params, query, body, answer }: Route): string {
  const inputs = [...rowsOf(params, "path"), ...rowsOf(query, "query"), ...rowsOf(body, "body")];
  const outputs = rowsOf(answer.body, "").map(([, ...cells]) => cells);
  const events = Object.entries(answer.events ?? {}).map(([name, schema]) => [code(name), typeText(schema), schema.description ?? ""]);
  return blocks(
    `${summary}. The access is ${accessText(accessOf({ access }), operatesWhen)}.`,
    ...(inputs.length > 0 ? [table(["In", "Field", "Type", "Meaning"], inputs)] : []),
    ...(outputs.length > 0 ? [table(["Answer", "Type", "Meaning"], outputs)] : []),
    ...(events.length > 0 ? [table(["Event", "Data", "Meaning"], events)] : []),
  );
}

function accessText(access: string, operatesWhen: string | undefined): string {
  return operatesWhen === undefined ? code(access) : `${code(access)}, or ${code("operate")} if ${operatesWhen}`;
}

function rowsOf(schema: Schema | undefined, place: string): string[][] {
  return (schema === undefined ? [] : (fieldsOf(schema) ?? [])).map((field) => [place, ...cellsOf(field)]);
}

function cellsOf({ name, schema, isOptional, description, defaultValue }: Field): string[] {
  const usual = defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0);
  const said = usual ? "" : `Default: ${code(JSON.stringify(defaultValue))}.`;
  return [code(`${name}${isOptional ? "?" : ""}`), typeText(schema), [description, said].filter(Boolean).join(" ")];
}

/** A type of the page links to its table. */
function typeText(schema: Schema): string {
  const text = typeOf(schema, (fields) => `{ ${fields.map(({ name, isOptional }) => `${name}${isOptional ? "?" : ""}`).join(", ")} }`);
  const plain = text.replaceAll("readonly ", "");
  const [, name = "", list = ""] = /^(\w+)(\[\])?$/.exec(plain) ?? [];
  return innerNames.has(name) ? `[${code(name + list)}](#${name.toLowerCase()})` : code(plain);
}

function typeBlock(schema: Schema): string {
  const fields = fieldsOf(schema);
  const shown = fields === undefined ? typeOf(schema, () => "") : "";
  const members = (schema._zod.def as unknown as { readonly entries?: object }).entries;
  const values =
    members === undefined
      ? shown
      : Object.values(members)
          .map((value) => code(String(value)))
          .join(", ");
  return blocks(
    `#### ${nameOf(schema)}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(fields === undefined
      ? members === undefined
        ? []
        : [`The value is one of ${values}.`]
      : [table(["Field", "Type", "Meaning"], fields.map(cellsOf))]),
  );
}
