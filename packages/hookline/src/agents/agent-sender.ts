import { compileToolScope, type ToolNames } from "@hookline/core/internal";
import { didYouMean } from "@hookline/core/internal/text";
import { patternsIn, sampleName } from "../rules/example-event.js";
import { ruleRegex } from "../rules/regex/rule-regex.js";
import type { Sender, Senders, Sent, Wanted } from "../rules/sender.js";
import { agents } from "./agents.js";
import type { AgentDialect, NativeTool, SampleOrigin } from "./shared/definition.js";
import { isObject, type Json } from "./shared/native-payload.js";
import { namesOf, toNative } from "./shared/tool-table.js";
import type { KnownTools } from "./tool-note.js";

/** Lets a hook tell a canary from a real call. */
const SESSION = "selftest";
const CWD = "/srv/project";

/** Sends examples as an agent does: with its own event, tool name and field names, translated in the same way as its calls. */
export function createAgentSender(dialect: AgentDialect): Sender {
  return { id: dialect.id, send: (wanted) => sendAs(dialect, wanted) };
}

/** Sends examples as each attached agent sends its calls. */
export function sendersOf({ attached, seen = [] }: KnownTools): Senders {
  return { agents: attached.map(createAgentSender), seen };
}

/** The parts of a guard that select tools. */
type Scope = Pick<Wanted, "tool" | "match">;

/** A tool of the agent that the guard covers, preferably the shell. Undefined if the guard covers none of them. */
export function findTool(dialect: AgentDialect, scope: Scope): Omit<NativeTool, "input"> | undefined {
  const isFor = compileToolScope(scope, ruleRegex);
  const own = Object.keys(dialect.tools).find((native) => isFor(namesOf(dialect.tools, native)));
  if (own !== undefined) return { name: own };
  return mcpNames(scope)
    .map((name) => mcpTool(dialect, name))
    .find((tool) => isFor(seenNames(dialect, tool)));
}

/** Why the agent has no such tool, with a suggestion. */
export function whyNoTool(dialect: AgentDialect, scope: Scope): string {
  const [mcp] = mcpNames(scope);
  if (mcp !== undefined) return `${dialect.title} calls a tool of an MCP server ${mcpTool(dialect, mcp).name}.`;
  const wanted = scope.tool === undefined ? undefined : patternsIn(scope.tool);
  if (wanted === undefined) return `${dialect.title} has no tool that can satisfy its "match".`;
  const known = Object.keys(dialect.tools).flatMap((native) => Object.values(namesOf(dialect.tools, native)));
  const hint = wanted.length === 1 ? didYouMean(wanted[0] as string, [...new Set(known)]) : "";
  return `${dialect.title} has no tool ${wanted.map((name) => `"${name}"`).join(" or ")}.${hint}`;
}

function sendAs(dialect: AgentDialect, wanted: Wanted): Sent | undefined {
  const { event, example } = wanted;
  if (!sampled.includes(event)) return undefined;
  const native = Object.entries(dialect.events).find(([, row]) => row.event === event && row.leftAlone === undefined)?.[0];
  if (native === undefined) return { missing: `${dialect.title} does not report ${event}.` };
  const { prompt, tool, ...rest } = typeof example === "string" ? ({} as Json) : example;
  const text = typeof example === "string" ? example : prompt;
  const origin = originOf(wanted, rest);
  const arrived = (payload: Json): Sent => ({ payload: withFields(dialect.translate(native, payload).payload, rest) });
  if (event === "prompt:submit") return typeof text === "string" ? arrived(dialect.samples.prompt(native, text, origin)) : undefined;
  if (typeof example !== "string" && !isNamed(tool)) return undefined;
  const call = isNamed(tool) ? callOf(dialect, tool) : commandOf(dialect, wanted, String(text));
  return typeof call === "string" ? { missing: call } : arrived(dialect.samples.call(native, call, origin));
}

/** The events for which samples were captured. */
const sampled: readonly string[] = ["tool:before", "permission:asked", "prompt:submit"];

/** Text is a command for a tool that the guard covers. */
function commandOf(dialect: AgentDialect, scope: Scope, command: string): NativeTool | string {
  const tool = findTool(dialect, scope);
  return tool === undefined ? whyNoTool(dialect, scope) : { ...tool, input: { command } };
}

/** An example with a tool name is a call of that tool, whatever this agent calls it. */
function callOf(dialect: AgentDialect, { name, input }: NamedTool): NativeTool | string {
  const { tools, samples } = dialect;
  const isIt = compileToolScope({ tool: name.replace(/[*?[\\,|]/g, "\\$&") });
  const native = Object.hasOwn(tools, name) ? name : Object.keys(tools).find((one) => isIt(namesOf(tools, one)));
  if (native !== undefined) {
    const common = withPath(isObject(input) ? input : {});
    return { name: native, input: samples.input?.(native, common) ?? toNative(tools, native, common, {}) ?? common };
  }
  const tool = /^mcp__/i.test(name) ? mcpTool(dialect, name) : undefined;
  if (tool !== undefined && isIt(seenNames(dialect, tool))) return { ...tool, input: isObject(input) ? input : {} };
  return tool === undefined ? whyNoTool(dialect, { tool: name }) : `${dialect.title} calls it ${tool.name}.`;
}

interface NamedTool {
  readonly name: string;
  readonly input?: unknown;
}

function isNamed(tool: unknown): tool is NamedTool {
  return isObject(tool) && typeof tool.name === "string";
}

/** The author may have used the field name of any agent for the path. */
function withPath(input: Json): Json {
  const field = Object.hasOwn(input, "path") ? undefined : pathFields.find((name) => typeof input[name] === "string");
  if (field === undefined) return input;
  const { [field]: path, ...rest } = input;
  return { ...rest, path };
}

const pathFields = [...new Set(agents.flatMap(({ tools }) => Object.values(tools).flatMap(({ path }) => path ?? [])))];

/** Turns `mcp__files__*` into a name that such a tool could have. */
function mcpNames({ tool, match = "" }: Scope): readonly string[] {
  const text = typeof match === "string" ? match : JSON.stringify(match);
  const patterns = [...(tool === undefined ? [] : patternsIn(tool)), ...(text.match(/mcp__[\w*?[\]-]*/gi) ?? [])];
  return patterns.filter((pattern) => /^mcp__/i.test(pattern)).map(sampleName);
}

function mcpTool({ samples }: AgentDialect, name: string): Omit<NativeTool, "input"> {
  const [, server, tool] = /^mcp__(.*?)(?:__(.*))?$/i.exec(name) ?? [];
  return samples.mcpTool(server || "server", tool || "tool");
}

/** The names that guards see for the tool. */
function seenNames(dialect: AgentDialect, tool: Omit<NativeTool, "input">): ToolNames {
  const [native = ""] = Object.entries(dialect.events).find(([, { event }]) => event === "tool:before") ?? [];
  const call = dialect.samples.call(native, { ...tool, input: {} }, { session: SESSION, cwd: CWD });
  return dialect.translate(native, call).payload.tool as ToolNames;
}

function originOf({ cwd }: Wanted, { cwd: given, session }: Json): SampleOrigin {
  const id = isObject(session) && typeof session.id === "string" ? session.id : SESSION;
  return { session: id, cwd: typeof given === "string" ? given : (cwd ?? CWD) };
}

/** The fields of the example besides its tool and its text. */
function withFields(payload: Json, given: Json): Json {
  const fields = Object.entries(given).map(([key, value]) => {
    const arrived = payload[key];
    return [key, isObject(value) && isObject(arrived) ? { ...arrived, ...value } : value];
  });
  return { ...payload, ...Object.fromEntries(fields) };
}
