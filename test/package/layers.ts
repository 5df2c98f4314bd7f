import { posix } from "node:path";
import { findCycles, reachableFrom } from "./cycles.js";
import { type Link, type ModuleLinks, readLinks } from "./module-links.js";
import type { SourceTree } from "./source-tree.js";

/** The layers of each package, lowest first. A folder imports from its own layer and those below, and neighbours never from each other in a circle. */
const layers: { readonly [name: string]: readonly (readonly string[])[] } = {
  core: [
    ["text"],
    ["catalog"],
    ["match"],
    ["bus"],
    ["remind", "redact"],
    ["machine"],
    ["transcript"],
    ["wire"],
    ["sinks", "forward", "adapters", "extension"],
    ["internal"],
  ],
  hookline: [
    ["machine", "commands"],
    ["config", "rules", "extensions", "agents", "notify"],
    ["bundles"],
    ["hub"],
    ["bridge", "host"],
    ["cli"],
    ["internal"],
  ],
  fleet: [["nats"], ["credentials"], ["questions"], ["people"], ["host", "hub"], ["dev"], ["commands"]],
  otlp: [["names"], ["trace"], ["metrics"], ["send"]],
  mcp: [["protocol"], ["state"], ["gateway", "attach", "acp"], ["serve"], ["commands"]],
};
/** The same for folders inside a layer, lowest first: a folder never imports from those after it. */
const stacks: readonly (readonly string[])[] = [["http", "auth", "routes"].map((folder) => `packages/hookline/src/hub/${folder}/`)];
/** Folders that run in any JavaScript host. */
const pure = ["text", "catalog", "match", "bus", "remind", "redact"].map((folder) => `packages/core/src/${folder}/`);
/** What the page may see of the other packages. */
const shownToPage = /^packages\/(hookline\/src\/hub\/protocol\.ts|core\/src\/(catalog|text)\/)/;
/** They load a file that a user has named, or the bundle: no source of ours is meant. */
const loadsForeignCode = [
  "packages/hookline/src/extensions/module/run-module.ts",
  "packages/hookline/src/cli/main.ts",
  // Optional packages, which depend on this one.
  "packages/hookline/src/hub/lifecycle/optional-package.ts",
  // The writer of Parquet, which is never installed by itself.
  "packages/core/src/sinks/archive/parquet.ts",
];
/** Entries that must run anywhere: nothing they lead to at run time may need Node or a package. */
const portableEntries = ["packages/core/src/index.ts", "packages/core/src/internal/index.ts", "packages/core/src/internal/text.ts"];

interface Module extends ModuleLinks {
  readonly path: string;
  readonly package: string;
  /** The first folder below `src`; empty for files that stand there themselves. */
  readonly folder: string;
}

interface Edge {
  readonly from: Module;
  readonly link: Link;
  /** The file it leads to, if it is one of ours. */
  readonly to: Module | undefined;
}

/** Everything in the tree that breaks a rule of the layout, one sentence each. */
export function findViolations(tree: SourceTree): string[] {
  const modules = readModules(tree);
  const edges = [...modules.values()].flatMap((from) => from.links.map((link): Edge => ({ from, link, to: target(from, link, modules) })));
  return [
    ...[...modules.values()].flatMap(checkModule),
    ...edges.flatMap((edge) => checkEdge(edge, tree)),
    ...portableEntries.flatMap((entry) => checkPortable(entry, edges)),
    ...findCycles(graphOf(edges.filter(({ link }) => !link.isTypeOnly))).map((files) => `import cycle: ${files.join(", ")}`),
    ...findCycles(folderGraph(edges)).map((folders) => `folders import each other: ${folders.join(", ")}`),
    ...checkManifests(tree),
  ];
}

function readModules(tree: SourceTree): ReadonlyMap<string, Module> {
  const sources = [...tree].filter(([path]) => !path.endsWith(".json"));
  return new Map(sources.map(([path, source]) => [path, { ...readLinks(path, source), ...placeOf(path) }]));
}

function placeOf(path: string): Pick<Module, "path" | "package" | "folder"> {
  const [, name = "", , folder = "", ...rest] = path.split("/");
  return { path, package: name, folder: rest.length === 0 ? "" : folder };
}

function target(from: Module, { specifier }: Link, modules: ReadonlyMap<string, Module>): Module | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = posix.join(posix.dirname(from.path), specifier);
  const bare = path.replace(/\.[cm]?[jt]sx?$/, "");
  const candidates = [path, `${bare}.ts`, `${bare}.tsx`, `${bare}.d.ts`, posix.join(path, "index.ts")];
  return candidates.map((candidate) => modules.get(candidate)).find((module) => module !== undefined);
}

function checkModule({ path, package: name, folder, hasDefaultExport, computedImports, links }: Module): string[] {
  const found = (loadsForeignCode.includes(path) ? [] : computedImports).map((text) => `${path}: ${text} cannot be checked`);
  if (hasDefaultExport) found.push(`${path}: default export`);
  if (path.split("/").some((part) => /^_?(utils?|helpers?|misc)(\.|$)/.test(part))) found.push(`${path}: a name that says nothing`);
  if (layers[name] !== undefined && folder !== "" && rankOf(name, folder) < 0) found.push(`${path}: "${folder}" is in no layer`);
  const isEntry = posix.basename(path) === "index.ts" || (name === "core" && folder === "internal");
  if (isEntry && links.some(({ reexports, isTypeOnly }) => reexports === "star" && !isTypeOnly))
    found.push(`${path}: an entry lists names one by one`);
  return found;
}

function checkEdge(edge: Edge, tree: SourceTree): string[] {
  const { from, link, to } = edge;
  const found = to === undefined ? checkOutside(from, link, tree) : checkInside(from, to);
  return found.map((what) => `${from.path} → ${link.specifier}: ${what}`);
}

function checkOutside(from: Module, { specifier }: Link, tree: SourceTree): string[] {
  if (specifier.startsWith(".")) return ["leads to no source file"];
  if (specifier.startsWith("node:")) return pure.some((folder) => from.path.startsWith(folder)) ? ["a node: module in a pure folder"] : [];
  const name = packageOf(specifier);
  const manifest = manifestOf(tree, from.package);
  if (name === manifest.name) return ["a package imports its own files, not itself"];
  return Object.hasOwn({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies }, name) ||
    from.package === "ui"
    ? []
    : [`"${name}" is no dependency of packages/${from.package}`];
}

function checkInside(from: Module, to: Module): string[] {
  if (from.package !== to.package) return from.package === "ui" && shownToPage.test(to.path) ? [] : ["reaches into another package"];
  const found: string[] = [];
  if (posix.basename(to.path) === "index.ts") found.push("imports an index.ts instead of the file itself");
  const hidden = /^(.*\/)_[^/]+\//.exec(to.path)?.[1];
  if (hidden !== undefined && !from.path.startsWith(hidden)) found.push(`private to ${hidden}`);
  if (from.folder !== "" && rankOf(from.package, to.folder) > rankOf(from.package, from.folder))
    found.push(`${from.folder} is below ${to.folder}`);
  if (from.folder !== "" && to.folder === "") found.push("imports a file of the package's root");
  return [...found, ...stacks.flatMap((stack) => checkStack(stack, from.path, to.path))];
}

function checkStack(stack: readonly string[], from: string, to: string): string[] {
  const [below, above] = [from, to].map((path) => stack.findIndex((folder) => path.startsWith(folder))) as [number, number];
  if (below < 0 || above <= below) return [];
  return [`${stack[below]} is below ${stack[above]}`];
}

function rankOf(name: string, folder: string): number {
  return layers[name]?.findIndex((layer) => layer.includes(folder)) ?? -1;
}

function checkPortable(entry: string, edges: readonly Edge[]): string[] {
  const values = edges.filter(({ link }) => !link.isTypeOnly);
  const reached = reachableFrom(graphOf(values), entry).add(entry);
  return values
    .filter(({ from, link }) => reached.has(from.path) && !link.specifier.startsWith("."))
    .map(({ from, link }) => `${entry} leads to ${link.specifier} through ${from.path}`);
}

function graphOf(edges: readonly Edge[]): Map<string, Set<string>> {
  return graph(edges.flatMap(({ from, to }) => (to === undefined ? [] : [[from.path, to.path]])));
}

function folderGraph(edges: readonly Edge[]): Map<string, Set<string>> {
  const between = edges.flatMap(({ from, to }) =>
    to === undefined || from.folder === "" || to.folder === "" ? [] : [[`${from.package}/${from.folder}`, `${to.package}/${to.folder}`]],
  );
  return graph(between.filter(([from, to]) => from !== to));
}

function graph(pairs: readonly string[][]): Map<string, Set<string>> {
  const made = new Map<string, Set<string>>();
  for (const [from = "", to = ""] of pairs) made.set(from, (made.get(from) ?? new Set()).add(to));
  return made;
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: { readonly [name: string]: string };
  readonly optionalDependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
}

const runtimeKeys = ["dependencies", "optionalDependencies", "peerDependencies", "bundledDependencies", "bundleDependencies"];

function checkManifests(tree: SourceTree): string[] {
  const core = manifestOf(tree, "core");
  return runtimeKeys
    .filter((key) => Object.hasOwn(core, key))
    .map((key) => `packages/core/package.json: "${key}" in a package that has none`);
}

function manifestOf(tree: SourceTree, name: string): Manifest {
  return JSON.parse(tree.get(`packages/${name}/package.json`) ?? "{}") as Manifest;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
