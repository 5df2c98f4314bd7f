import { catalog } from "../../packages/core/dist/catalog/events.js";
import { baseShape, eventShapes, familyShapes, type Leaf, type Shape } from "../../packages/core/dist/catalog/payload-shapes.js";
import { samplePayloads } from "../../packages/core/dist/catalog/samples.js";
import { blocks, code, page, table } from "./markdown.ts";

const introduction = `# Payloads

Every event of the catalogue with the fields of its payload and a sample. [Events](events.md) lists kinds, outcomes, permissions and other spellings.

A field with \`?\` may be missing. The type \`any\` is a value that only the agent or the tool knows, \`record\` an object of that kind, \`input\` the input of a tool. Every payload may also have the [shared fields](#shared-fields).`;

/** What a type of the tables is called in the documentation. */
const TYPES: { readonly [Type in Leaf]: string } = {
  text: "string",
  number: "number",
  flag: "boolean",
  status: "string",
  any: "any",
  record: "record",
  input: "input",
};

/** docs/reference/payloads.md: the fields and a sample of each event. */
export function payloadsPage(): string {
  return page(
    "packages/core/src/catalog/payload-shapes.ts and samples.ts",
    introduction,
    ...Object.keys(catalog).map(eventSection),
    ...Object.entries(familyShapes).map(([name, shape]) => blocks(`## ${name}:&lt;name&gt;`, fieldTable(shape))),
    blocks("## Shared fields", fieldTable(baseShape)),
  );
}

function eventSection(event: string): string {
  const shape = (eventShapes as { readonly [name: string]: Shape })[event];
  const own = shape === undefined || Object.keys(shape).length === 0 ? "It has only the shared fields." : fieldTable(shape);
  const sample = (samplePayloads as { readonly [name: string]: unknown })[event];
  return blocks(`## ${event}`, own, `\`\`\`json\n${JSON.stringify(sample, undefined, 2)}\n\`\`\``);
}

function fieldTable(shape: Shape): string {
  return table(["Field", "Type"], rowsOf(shape, ""));
}

/** One row per field; the fields of a part follow it, with their whole path. */
function rowsOf(shape: Shape, path: string): string[][] {
  return Object.entries(shape).flatMap(([field, node]) => {
    const name = `${path}${field.replace(/\?$/, "")}`;
    const row = [code(field.endsWith("?") ? `${name}?` : name), typeof node === "string" ? TYPES[node] : "object"];
    return typeof node === "string" ? [row] : [row, ...rowsOf(node, `${name}.`)];
  });
}
