import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as shapes from "../../packages/core/dist/catalog/payload-shapes.js";
import { type Declaration, type Entry, exportsOf, publicEntries } from "./declarations.ts";
import { blocks, code, page, table } from "./markdown.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** One sentence about each entry. An entry that is missing here has no page, and a test fails. */
const purposes: { readonly [specifier: string]: string } = {
  "@hookline/core": "The bus, outcomes, the catalogue of events, and errors. Runs on Node, Bun, Deno and in workers.",
  "@hookline/core/remind": "Reminders for each session.",
  "@hookline/core/text": "Shows text from elsewhere on a terminal.",
  "@hookline/core/transcript": "Records what a bus does; verifies, replays and reruns what was recorded.",
  "@hookline/core/sinks": "Sends events to files, webhooks, sockets and sinks of your own.",
  "@hookline/core/forward": "Connects a bus to the hub.",
  "@hookline/core/extension": "Writes a hook that runs as a process of its own.",
  "@hookline/core/adapters/codewhale": "Reads and writes codewhale's frames.",
  "@hookline/core/adapters/tools": "Guards any tools that have a function `execute`.",
  "@hookline/core/adapters/ai-sdk": "Guards agents of the Vercel AI SDK.",
  "@hookline/core/adapters/openai-agents": "Guards agents of the OpenAI Agents SDK.",
  "@hookline/core/adapters/claude-agent-sdk": "Guards agents of the Claude Agent SDK.",
  "@hookline/core/adapters/langchain": "Guards agents of LangChain and LangGraph.",
  "@hookline/core/adapters/mastra": "Guards agents of Mastra.",
  "@hookline/core/adapters/strands": "Guards agents of Strands Agents.",
  "@hookline/core/adapters/mcp-sdk": "Guards clients and servers of the MCP SDK.",
  "hookline/hub": "Runs a hub inside a program.",
  "hookline/host": "Loads hooks and rules into an agent's own bus, without a hub.",
  "hookline/regex": "A regular expression engine that takes linear time.",
  "hookline/commands": "Says what the shell commands of a tool call do.",
  "hookline/rules": "Puts rules on a bus and tests them.",
};

/** docs/reference/api.md and a page for each public entry, by path. */
export function apiPages(): Map<string, () => string> {
  const entries = publicEntries();
  return new Map([
    ["docs/reference/api.md", () => indexPage(entries)],
    ...entries.map((entry): [string, () => string] => [`docs/reference/api/${pageName(entry)}.md`, () => entryPage(entry)]),
  ]);
}

function pageName({ specifier }: Entry): string {
  return specifier === "@hookline/core" ? "core" : (specifier.split("/").at(-1) ?? "");
}

const introduction = `# API reference

These pages list every name that the packages promise to keep, with its doc comment and its declaration. The guides in \`docs/\` explain how the names work together. Entries named \`internal\` are for Hookline's own packages and change without notice.`;

function indexPage(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => [`[${code(entry.specifier)}](api/${pageName(entry)}.md)`, purposeOf(entry)]);
  return page("the built declarations", introduction, table(["Import", "What it is for"], rows), ...entries.map(namesOf));
}

/** Values by name; types stand on the entry's own page. */
function namesOf(entry: Entry): string {
  const values = exportsOf(entry.file).filter(({ isType }) => !isType);
  const rows = values.map((one) => [
    `[${code(one.name)}](api/${pageName(entry)}.md#${anchorOf(one.name)})`,
    firstSentence(one.comment ?? ""),
  ]);
  return blocks(`## ${code(entry.specifier)}`, table(["Name", "What it does"], rows));
}

function entryPage(entry: Entry): string {
  const all = exportsOf(entry.file);
  const [values, types] = [all.filter(({ isType }) => !isType), all.filter(({ isType }) => isType)];
  return page(
    relative(root, entry.file).replaceAll("\\", "/").replace("/dist/", "/src/").replace(".d.ts", ".ts"),
    `# ${code(entry.specifier)}`,
    `${purposeOf(entry)} [All entries](../api.md).`,
    ...(values.length === 0 ? [] : ["## Functions and values", ...values.map(section)]),
    ...(types.length === 0 ? [] : ["## Types", ...types.map(section)]),
  );
}

function purposeOf({ specifier }: Entry): string {
  const purpose = purposes[specifier];
  if (purpose === undefined) throw new Error(`scripts/docs/api-pages.ts says nothing about ${specifier}.`);
  return purpose;
}

function section(one: Declaration): string {
  return blocks(`### ${one.name}`, one.comment ?? "", `\`\`\`ts\n${signatureOf(one)}\n\`\`\``);
}

function anchorOf(name: string): string {
  return name.toLowerCase();
}

function firstSentence(comment: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(comment)?.[0].replaceAll("\n", " ").replace(/:$/, ".") ?? comment;
}

/** The declaration, with the fields of tables that it derives from and the private types of its file that it names. */
function signatureOf(one: Declaration): string {
  const text = withFields(one.text).replaceAll(/^export (declare )?/gm, "");
  return [text, ...one.privateTypes.filter(({ name }) => name !== "FieldsOf").map((type) => type.text)].join("\n");
}

const FIELDS = /extends FieldsOf<typeof (\w+)> \{\n?/;

function withFields(text: string): string {
  const shape = FIELDS.exec(text)?.[1];
  if (shape === undefined) return text;
  return text.replace(FIELDS, `{\n${fieldsOf((shapes as { readonly [name: string]: unknown })[shape] as shapes.Shape)}\n`);
}

const leaves: { readonly [leaf in shapes.Leaf]: string } = {
  text: "string",
  number: "number",
  flag: "boolean",
  status: "ToolStatus",
  any: "unknown",
  record: "{ readonly [key: string]: unknown }",
  input: "ToolInput",
};

const named: ReadonlyMap<shapes.Shape, string> = new Map<shapes.Shape, string>([
  [shapes.sessionShape, "SessionRef"],
  [shapes.agentShape, "AgentRef"],
  [shapes.turnShape, "TurnRef"],
  [shapes.toolShape, "ToolCall"],
  [shapes.workerShape, "WorkerRef"],
  [shapes.usageShape, "Usage"],
]);

function fieldsOf(shape: shapes.Shape): string {
  return Object.entries(shape)
    .map(([field, type]) => `  readonly ${field}: ${typeof type === "string" ? leaves[type] : (named.get(type) ?? "object")};`)
    .join("\n");
}
