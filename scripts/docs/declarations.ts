import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** An entry that users import. */
export interface Entry {
  /** What a user writes: `@hookline/core/sinks`. */
  readonly specifier: string;
  /** The declaration file that the build makes for it. */
  readonly file: string;
}

/** One exported name with everything that its declaration says. */
export interface Declaration {
  readonly name: string;
  readonly file: string;
  readonly kind: "function" | "const" | "class" | "interface" | "type";
  /** Gone at run time: also a class of which only the type is exported. */
  readonly isType: boolean;
  /** The text of the doc comment, without stars. */
  readonly comment: string | undefined;
  /** The declaration as TypeScript, without private and internal members. */
  readonly text: string;
  /** The types of ours that the text names, without those in `privateTypes`. */
  readonly references: readonly Reference[];
  /** Types that only its own file can name. */
  readonly privateTypes: readonly { readonly name: string; readonly text: string }[];
}

interface Reference {
  readonly name: string;
  /** False for a table that a type derives from. */
  readonly isType: boolean;
  /** The declaration file. */
  readonly from: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Comment {
  readonly type: "Line" | "Block";
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly Comment[];
}

/** The public entries of both packages, in the order of their manifests. */
export function publicEntries(): Entry[] {
  return ["core", "hookline"].flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    return Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === "string" || /^\.\/internal(\/|$)/.test(entry)
        ? []
        : [{ specifier: `${name}${entry.slice(1)}`, file: join(root, "packages", folder, target.types) }],
    );
  });
}

interface Manifest {
  readonly name: string;
  readonly exports: { readonly [entry: string]: string | { readonly types: string } };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
}

/** What a declaration file exports, also what it passes on from other files, sorted by name. */
export function exportsOf(file: string): Declaration[] {
  return [...exportedFrom(file)].map(([name, found]) => ({ ...declarationOf(found), name })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Found {
  readonly source: Source;
  readonly name: string;
  readonly isType?: boolean;
}

function exportedFrom(file: string): Map<string, Found> {
  const source = read(file);
  const found = new Map<string, Found>();
  for (const node of source.body) {
    if (node.type === "ExportAllDeclaration")
      for (const [name, one] of exportedFrom(resolve(file, specifierOf(node)))) found.set(name, { ...one, isType: isType(node, one) });
    if (node.type !== "ExportNamedDeclaration") continue;
    const declared = node.declaration as Node | null;
    if (declared !== null) for (const name of namesOf(declared)) found.set(name, { source, name });
    for (const specifier of node.specifiers as readonly Node[]) {
      const [local, exported] = [specifier.local, specifier.exported].map((one) => String((one as Node).name)) as [string, string];
      const one = node.source === null ? (locate(source, local) ?? { source, name: local }) : passedOn(file, specifierOf(node), local);
      found.set(exported, { ...one, isType: isType(node, one) || isType(specifier, one) });
    }
  }
  return found;
}

function isType({ exportKind }: Node, found: Found): boolean {
  return exportKind === "type" || found.isType === true;
}

function passedOn(file: string, specifier: string, name: string): Found {
  const target = resolve(file, specifier);
  const found = exportedFrom(target).get(name);
  if (found === undefined) throw new Error(`${target} does not export ${name}.`);
  return found;
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith(".")) return join(dirname(file), specifier.replace(/\.js$/, ".d.ts"));
  const { exports } = manifestOf("core");
  const target = exports[specifier.replace("@hookline/core", ".")];
  if (target === undefined || typeof target === "string") throw new Error(`${file} passes on names of ${specifier}.`);
  return join(root, "packages/core", target.types);
}

function specifierOf(node: Node): string {
  return (node.source as { readonly value: string }).value;
}

const sources = new Map<string, Source>();

function read(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const source = { file, text, body: program.body as unknown as readonly Node[], comments: comments as readonly Comment[] };
  sources.set(file, source);
  return source;
}

const KINDS: { readonly [type: string]: Declaration["kind"] } = {
  TSDeclareFunction: "function",
  FunctionDeclaration: "function",
  VariableDeclaration: "const",
  ClassDeclaration: "class",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
};

function namesOf(declared: Node): string[] {
  if (declared.type !== "VariableDeclaration") return [String((declared.id as Node).name)];
  return (declared.declarations as readonly Node[]).map(({ id }) => String((id as Node).name));
}

function declarationOf({ source, name, isType: isTypeOnly }: Found): Declaration {
  const statements = source.body.flatMap((node) => {
    const declared = (node.type === "ExportNamedDeclaration" ? node.declaration : node) as Node | null;
    return declared !== null && KINDS[declared.type] !== undefined && namesOf(declared).includes(name) ? [{ node, declared }] : [];
  });
  const [first] = statements;
  if (first === undefined) throw new Error(`${source.file} does not declare ${name}.`);
  const kind = KINDS[first.declared.type] as Declaration["kind"];
  const hidden = statements.flatMap(({ declared }) => hiddenMembers(source, declared));
  const references = referencesOf(
    source,
    statements.map(({ declared }) => declared),
    hidden,
  );
  const isPrivate = (one: Reference): boolean => one.from === source.file && privateType(source, one.name) !== undefined;
  return {
    name,
    file: source.file,
    kind,
    isType: isTypeOnly === true || kind === "interface" || kind === "type",
    comment: commentBefore(source, first.node)?.text,
    text: statements.map(({ node }) => textOf(source, node, hidden)).join("\n"),
    references: references.filter((one) => !isPrivate(one)),
    privateTypes: references.filter(isPrivate).map((one) => ({ name: one.name, text: privateType(source, one.name) ?? "" })),
  };
}

function privateType(source: Source, name: string): string | undefined {
  const node = source.body.find(({ type, id }) => /^TS(TypeAlias|Interface)Declaration$/.test(type) && (id as Node).name === name);
  return node && textOf(source, node, []);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Private members, and those whose comment says `@internal`. */
function hiddenMembers(source: Source, declared: Node): Range[] {
  const members = ((declared.body as { readonly body?: readonly Node[] } | null)?.body ?? []) as readonly Node[];
  return members.flatMap((member) => {
    const comment = commentBefore(source, member);
    const isPrivate = (member.key as Node | undefined)?.type === "PrivateIdentifier" || member.accessibility === "private";
    return isPrivate || comment?.text.includes("@internal") ? [{ start: comment?.start ?? member.start, end: member.end }] : [];
  });
}

function commentBefore(source: Source, node: Node): { readonly text: string; readonly start: number } | undefined {
  const comment = source.comments.findLast(({ end }) => end <= node.start);
  if (comment === undefined || !comment.value.startsWith("*") || source.text.slice(comment.end, node.start).trim() !== "") return undefined;
  const lines = comment.value.slice(1).split("\n");
  const text = lines.map((line) => line.replace(/^\s*\* ?/, "").trimEnd()).join("\n");
  return { text: text.trim(), start: comment.start };
}

/** Types of more members than that are shown with their first one: all of them are documented elsewhere. */
const MOST_MEMBERS = 40;

function textOf(source: Source, node: Node, hidden: readonly Range[]): string {
  const cuts = [...hidden, ...longTypes(node)].filter(({ start, end }) => start >= node.start && end <= node.end);
  let text = "";
  let at = node.start;
  for (const { start, end, ...cut } of cuts.sort((a, b) => a.start - b.start)) {
    text += source.text.slice(at, start) + ((cut as { readonly instead?: string }).instead ?? "");
    at = end;
  }
  text += source.text.slice(at, node.end);
  return text.replace(/\n\s*\n/g, "\n").replaceAll(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2));
}

function longTypes(node: Node): (Range & { readonly instead: string })[] {
  const found: (Range & { readonly instead: string })[] = [];
  walk(node, ({ type, members }) => {
    const [, second, ...rest] = type === "TSTypeLiteral" ? (members as readonly Node[]) : [];
    const last = rest.at(-1);
    if (second !== undefined && last !== undefined && rest.length >= MOST_MEMBERS)
      found.push({ start: second.start, end: last.end, instead: `// … and ${rest.length + 1} more` });
  });
  return found;
}

function referencesOf(source: Source, declared: readonly Node[], hidden: readonly Range[]): Reference[] {
  const named = new Set<string>();
  const parameters = new Set<string>();
  for (const node of declared)
    walk(node, (inner) => {
      if (hidden.some(({ start, end }) => inner.start >= start && inner.end <= end)) return;
      if (inner.type === "TSTypeParameter") parameters.add(String((inner.name as Node).name));
      if (inner.type === "TSMappedType") parameters.add(String((inner.key as Node).name));
      if (inner.type === "TSTypeReference") named.add(rootOf(inner.typeName as Node));
      if (inner.type === "TSTypeQuery") named.add(rootOf(inner.exprName as Node));
      if (inner.type === "TSInterfaceHeritage" || inner.type === "TSClassImplements") named.add(rootOf(inner.expression as Node));
      if (inner.type === "ClassDeclaration" && inner.superClass !== null) named.add(rootOf(inner.superClass as Node));
    });
  return [...named]
    .filter((name) => !parameters.has(name))
    .flatMap((name) => locate(source, name) ?? [])
    .map(({ name, source: { file, body } }) => ({ name, from: file, isType: !body.some((node) => isTable(node, name)) }));
}

function isTable(node: Node, name: string): boolean {
  const declared = (node.type === "ExportNamedDeclaration" ? node.declaration : node) as Node | null;
  return declared?.type === "VariableDeclaration" && namesOf(declared).includes(name);
}

function rootOf(node: Node): string {
  return node.type === "Identifier" ? String(node.name) : rootOf((node.left ?? node.object) as Node);
}

/** Where a name of a file is declared; undefined for a global, and for what is of another package. */
function locate(source: Source, name: string): Found | undefined {
  for (const node of source.body) {
    const declared = (node.type === "ExportNamedDeclaration" ? node.declaration : node) as Node | null;
    if (declared !== null && KINDS[declared.type] !== undefined && namesOf(declared).includes(name)) return { source, name };
    if (node.type !== "ImportDeclaration" || !/^(\.|@hookline\/core)/.test(specifierOf(node))) continue;
    const one = (node.specifiers as readonly Node[]).find(({ local }) => (local as Node).name === name);
    if (one !== undefined) return passedOn(source.file, specifierOf(node), String((one.imported as Node | undefined)?.name ?? name));
  }
  return undefined;
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node))
    for (const inner of Array.isArray(value) ? value : [value]) if (isNode(inner)) walk(inner, visit);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
