import { didYouMean } from "@hookline/core/internal/text";
import { isObject } from "../dialects/read-document.js";
import { type ImportedHook, quoteRegex, quoteValue } from "./imported-hook.js";

/** The fields of a codewhale event that a condition can read. */
export type Carried = "tool" | "mode" | "exit code";

const MAX_DEPTH = 16;

/** codewhale's tool categories, under its current and former names: a tool, or one of a tool's actions. */
const categories: {
  readonly [name: string]: { readonly tools: readonly string[]; readonly actions?: Actions; readonly others?: Actions };
} = {
  shell: { tools: ["bash", "run", "exec_shell"] },
  file_write: {
    tools: ["write", "edit", "apply_patch", "write_file", "edit_file"],
    others: { file: ["read", "list", "search_name", "search_content"] },
  },
  safe: {
    tools: ["read", "todo_write", "read_file", "list_dir", "grep_files"],
    actions: { file: ["read", "list", "search_name", "search_content"], git: ["status", "diff", "log", "show", "blame"] },
  },
};
type Actions = { readonly [tool: string]: readonly string[] };
const OTHER = "other";

/** A condition in the form of a filter in hookline.toml. */
export interface Filter extends Pick<ImportedHook, "tool" | "match"> {
  /** It can hold only for events with a tool. */
  readonly needsTool: boolean;
}

/** A codewhale condition as a tool filter or a match expression, or a sentence why it cannot be one. */
export function readCondition(condition: unknown, carried: readonly Carried[]): Filter | string {
  const read = readOne(condition ?? { type: "always" }, carried, 0);
  if (typeof read === "string") return read;
  const { tools, text, needsTool } = read;
  if (tools !== undefined) return { tool: tools, needsTool };
  return text === ALWAYS ? { needsTool } : { match: text, needsTool };
}

interface Condition {
  /** The condition as an expression. */
  readonly text: string;
  /** The condition as a filter, if it consists of names only. */
  readonly tools?: readonly string[];
  readonly needsTool: boolean;
}

const ALWAYS = "*";

function readOne(condition: unknown, carried: readonly Carried[], depth: number): Condition | string {
  if (!isObject(condition) || depth > MAX_DEPTH) return `"condition" must be a table with a "type".`;
  const { type } = condition;
  if (type === "always") return { text: ALWAYS, needsTool: false };
  if (type === "all" || type === "any") return readSeveral(type, condition.conditions, carried, depth);
  const reader = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (reader === undefined)
    return `There is no condition of type ${JSON.stringify(type ?? null)}.${didYouMean(String(type), [...Object.keys(readers), "always", "all", "any"])}`;
  if (!carried.includes(reader.looksAt)) return `Its event has no ${reader.looksAt}, so it never fires. codewhale drops it as well.`;
  return reader.read(condition);
}

interface Reader {
  readonly looksAt: Carried;
  read(condition: { readonly [key: string]: unknown }): Condition | string;
}

const readers: { readonly [type: string]: Reader } = {
  tool_name: {
    looksAt: "tool",
    read: ({ name }) => (typeof name === "string" && name !== "" ? ofName(name) : `"name" must be a tool's name.`),
  },
  tool_category: { looksAt: "tool", read: ({ category }) => ofCategory(category) },
  mode: {
    looksAt: "mode",
    read: ({ mode }) =>
      typeof mode === "string" && mode !== ""
        ? { text: `mode =~ ${quoteRegex(`(?i)^${escaped(mode)}$`)}`, needsTool: false }
        : `"mode" must be the name of a mode.`,
  },
  exit_code: {
    looksAt: "exit code",
    read: ({ code }) =>
      Number.isInteger(code) || typeof code === "bigint"
        ? { text: `tool.exitCode == ${quoteValue(String(code))}`, needsTool: true }
        : `"code" must be a whole number.`,
  },
};

function readSeveral(type: "all" | "any", conditions: unknown, carried: readonly Carried[], depth: number): Condition | string {
  if (!Array.isArray(conditions)) return `"conditions" must be a list.`;
  const parts: Condition[] = [];
  for (const condition of conditions) {
    const read = readOne(condition, carried, depth + 1);
    if (typeof read === "string") return read;
    parts.push(read);
  }
  if (type === "all") {
    const real = parts.filter(({ text }) => text !== ALWAYS);
    const text = real.length === 0 ? ALWAYS : real.map((part) => part.text).join(" && ");
    return { text: real.length > 1 ? `(${text})` : text, needsTool: parts.some(({ needsTool }) => needsTool) };
  }
  if (parts.length === 0) return `"any" of no conditions never holds, so it never fires.`;
  const isAlways = parts.some(({ text }) => text === ALWAYS);
  const text = isAlways ? ALWAYS : `(${parts.map((part) => part.text).join(" || ")})`;
  return { text, needsTool: parts.every(({ needsTool }) => needsTool) };
}

/** A name in which only `*` is special: it matches any text. */
function ofName(name: string): Condition {
  // A name with other characters cannot be a filter: some are special there.
  const tools = /^[\w.:/*-]+$/.test(name) ? { tools: [name] } : {};
  if (!name.includes("*")) return { text: `tool.name == ${quoteValue(name)}`, ...tools, needsTool: true };
  const pattern = quoteRegex(`(?i)^${name.split("*").map(escaped).join(".*")}$`);
  return { text: `(tool.name =~ ${pattern} || tool.runtimeName =~ ${pattern})`, ...tools, needsTool: true };
}

function ofCategory(category: unknown): Condition | string {
  if (category === OTHER) {
    const known = Object.keys(categories).map(categoryText).join(" || ");
    return { text: `(tool.name && !(${known}))`, needsTool: true };
  }
  if (typeof category !== "string" || !Object.hasOwn(categories, category))
    return `There is no category ${JSON.stringify(category ?? null)}, so it never fires. The categories are ${[...Object.keys(categories), OTHER].join(", ")}.`;
  const { tools, actions, others } = categories[category] ?? { tools: [] };
  return { text: `(${categoryText(category)})`, ...(actions === undefined && others === undefined && { tools }), needsTool: true };
}

function categoryText(category: string): string {
  const { tools, actions = {}, others = {} } = categories[category] ?? { tools: [] };
  return [
    ...tools.map((tool) => `tool.name == ${quoteValue(tool)}`),
    ...Object.entries(actions).map(([tool, list]) => `(tool.name == ${quoteValue(tool)} && ${isAction(list)})`),
    // An unknown action counts as the most dangerous one.
    ...Object.entries(others).map(([tool, list]) => `(tool.name == ${quoteValue(tool)} && !(${isAction(list)}))`),
  ].join(" || ");
}

function isAction(actions: readonly string[]): string {
  return `tool.input.action =~ ${quoteRegex(`(?i)^(${actions.join("|")})$`)}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
