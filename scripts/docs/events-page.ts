import {
  type Category,
  catalog,
  customEvent,
  type EventSpec,
  families,
  familyAliases,
  providerEvents,
} from "../../packages/core/dist/catalog/events.js";
import { resolveEvent, spellingsOf } from "../../packages/core/dist/catalog/names.js";
import { baseShape, eventShapes, familyShapes, type Leaf, type Shape, toolShape } from "../../packages/core/dist/catalog/payload-shapes.js";
import { blocks, code, codes, page, table } from "./markdown.ts";

type Row = readonly [name: string, spec: EventSpec];

const events: readonly Row[] = Object.entries(catalog);

const introduction = `# Events

An event has a name such as \`tool:before\`: a namespace, a colon and a name. You can use the spellings in the last column of a table wherever you write a name; they mean the same event.
An unknown name in a namespace of the catalogue is an error (\`HL_UNKNOWN_EVENT\`) with a suggestion. A name in a namespace of your own is [your own event](#events-of-your-own).
The pattern \`tool:*\` stands for the names of one namespace and never crosses a second colon; \`*\` stands for everything.

- **Kind**: \`observe\` events report something (\`emit\`), \`gate\` events are decided (\`decide\`), \`transform\` events pass a value on (\`transform\`). See [dispatch](../dispatch.md).
- **Outcomes**: what a handler may answer. See [outcomes](../outcomes.md).
- **Permission**: what an owner needs to register for the event.
- **Class**: how a full queue treats the event. \`bulk\` is dropped first, \`vital\` last.`;

/** docs/reference/events.md: the whole catalogue, by category. */
export function eventsPage(): string {
  return page(
    "packages/core/src/catalog/events.ts",
    introduction,
    ...categories().map(categorySection),
    familySection(),
    customSection(),
    fieldSection(),
    permissionSection(),
    providerSection(),
  );
}

/** In the order in which the catalogue first names them, the rest last. */
function categories(): Category[] {
  const named = new Set(events.map(([, { category }]) => category));
  named.delete("other");
  return [...named, "other"];
}

function categorySection(category: Category): string {
  const rows = events.filter(([, spec]) => spec.category === category).map(eventRow);
  return blocks(`## Category ${code(category)}`, table(["Event", "Kind", "Outcomes", "Permission", "Class", "Also written"], rows));
}

function eventRow([name, spec]: Row): string[] {
  const others = spellingsOf(name).filter((spelling) => spelling !== name);
  return [code(name), spec.kind, codes(spec.outcomes), code(spec.permission), spec.class, codes(others)];
}

function familySection(): string {
  const rows = Object.entries(families).map(familyRow);
  const head = ["Events", "Category", "Kind", "Outcomes", "Permission", "Class", "Other runtimes' names"];
  return blocks("## Open namespaces", "Any name in these namespaces is an event.", table(head, rows));
}

function familyRow([namespace, spec]: Row): string[] {
  const event = code(`${namespace}:<name>`);
  return [
    event,
    code(spec.category),
    spec.kind,
    codes(spec.outcomes),
    code(spec.permission),
    classesOf(namespace, spec),
    aliasesIn(namespace),
  ];
}

function aliasesIn(namespace: string): string {
  const own = Object.entries(familyAliases).filter(([, event]) => event.startsWith(`${namespace}:`));
  return own.map(([alias, event]) => `${code(alias)} → ${code(event)}`).join(", ");
}

/** Some names of an open namespace are of another class than the rest. */
function classesOf(namespace: string, { class: usual }: EventSpec): string {
  const endings = [".delta", ".progress"].filter((ending) => resolveEvent(`${namespace}:x${ending}`).spec.class !== usual);
  const [first] = endings;
  if (first === undefined) return usual;
  const unusual = resolveEvent(`${namespace}:x${first}`).spec.class;
  return `${usual}; ${unusual} for names that end in ${endings.map(code).join(" or ")}`;
}

function customSection(): string {
  const { kind, permission, class: importance, category } = customEvent;
  const what = `A name in any other namespace, such as \`myapp:deployed\`, is an event of your own: kind ${kind}, category ${code(category)}, permission ${code(permission)}, class ${importance}.`;
  const types = `Its payload is typed by \`declare module "@hookline/core" { interface EventPayloads { "myapp:deployed": { version: string } } }\`.`;
  return blocks("## Events of your own", `${what} ${types}`);
}

const fieldText = `These tables list the fields of payloads. A path that no payload of the event has is rejected in \`match\`, \`where\`, \`set\` and \`redact\` ([matching](../matching.md#which-paths-exist)). Below a field marked \`*\` every path is valid, because its content belongs to the tool or the agent.`;

function fieldSection(): string {
  const shared = Object.entries(baseShape).map(([field, node]) => [fieldName(field, node), partsOf(node)]);
  const own = [...Object.entries(eventShapes), ...Object.entries(familyShapes).map(([name, shape]) => [`${name}:<name>`, shape] as const)];
  const rows = own.map(([event, shape]) => [
    code(event),
    Object.entries(shape)
      .map(([field, node]) => fieldName(field, node))
      .join(", "),
  ]);
  const tool = `${code("tool")} is ${partsOf(toolShape)}. ${code("tool.args")} is another spelling of ${code("tool.input")}, ${code("result")} of ${code("tool.output")}.`;
  return blocks(
    "## Fields",
    fieldText,
    "Every payload may have:",
    table(["Field", "With"], shared),
    tool,
    "In addition, each event has these fields, under Hookline's names and under those of the runtimes that the events come from:",
    table(["Event", "Fields"], rows),
  );
}

function fieldName(field: string, node: Leaf | Shape): string {
  const isFree = node === "any" || node === "record" || node === "input";
  return `${code(field.replace(/\?$/, ""))}${isFree ? "\\*" : ""}`;
}

function partsOf(node: Leaf | Shape): string {
  return typeof node === "string"
    ? ""
    : Object.entries(node)
        .map(([field, part]) => fieldName(field, part))
        .join(", ");
}

function permissionSection(): string {
  const all: readonly Row[] = [...events, ...Object.entries(families).map(([name, spec]): Row => [`${name}:*`, spec])];
  const permissions = [...new Set(all.map(([, { permission }]) => permission))].sort();
  const eventsWith = (permission: string): string[] => all.filter(([, spec]) => spec.permission === permission).map(([name]) => name);
  const rows = permissions.map((permission) => [code(permission), codes(eventsWith(permission))]);
  const custom = [code(customEvent.permission), "events of your own"];
  const what = "A pattern needs the permission of every event it can match.";
  return blocks("## Permissions", what, table(["Permission", "Events"], [...rows, custom]));
}

function providerSection(): string {
  return blocks(
    "## The provider subset",
    `An agent runtime that serves reminder providers emits these events (\`providerEvents\`): ${codes(providerEvents)}.`,
  );
}
