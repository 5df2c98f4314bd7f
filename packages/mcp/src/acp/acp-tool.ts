import type { ToolCall } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { type Fields, fieldsOf } from "../protocol/message.js";
import type { ToolKind } from "./methods.js";

/** The names that rules use for the kinds of tools of ACP. The kind is all that an agent must say about a tool. */
const NAMES: { readonly [K in ToolKind]?: string } = {
  execute: "Bash",
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Grep",
  fetch: "WebFetch",
};

/** A tool call of ACP as guards see it. What the agent has not said is missing. */
export function toolOf(call: Fields): ToolCall {
  const kind = kindOf(call);
  const { title, locations, toolCallId } = call;
  const input = inputOf(call);
  const name = nameOf(kind, input);
  const [path] = (Array.isArray(locations) ? locations : []).map((location) => fieldsOf(location).path);
  return {
    name,
    runtimeName: kind,
    ...(typeof toolCallId === "string" && { callId: toolCallId }),
    input: {
      ...input,
      ...commandOf(input.command),
      ...(typeof path === "string" && input.file_path === undefined && { file_path: path }),
      ...(typeof title === "string" && input.title === undefined && { title }),
    },
  };
}

/** A call that an agent asks permission for. Some agents tell the command in the title alone, which is for people and may be shortened. */
export function askedTool(call: Fields): { readonly tool: ToolCall; readonly isByTitle: boolean } {
  const tool = toolOf(call);
  const { title } = call;
  if (tool.name !== "Bash" || tool.input.command !== undefined || typeof title !== "string") return { tool, isByTitle: false };
  const text = textOf(call);
  return { tool: { ...tool, input: { ...tool.input, command: title, ...(text !== "" && { content: text }) } }, isByTitle: true };
}

/** What the request shows to a person. */
function textOf({ content }: Fields): string {
  const texts = (Array.isArray(content) ? content : []).map((part) => fieldsOf(fieldsOf(part).content).text);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function kindOf({ kind }: Fields): string {
  return typeof kind === "string" ? kind : "other";
}

function inputOf({ rawInput }: Fields): Fields {
  return typeof rawInput === "object" && rawInput !== null && !Array.isArray(rawInput) ? fieldsOf(rawInput) : { value: rawInput };
}

/** Some agents give no kind to their shell: it is the tool that has a command. */
function nameOf(kind: string, { command }: Fields): string {
  const name = Object.hasOwn(NAMES, kind) ? NAMES[kind as ToolKind] : undefined;
  return name ?? (kind === "other" && (typeof command === "string" || Array.isArray(command)) ? "Bash" : `acp__${kind}`);
}

/** A command as a list of words is one text for the rules, in which each word stays one: `bash -c 'rm -rf x'`. */
function commandOf(command: unknown): Fields {
  const isList = Array.isArray(command) && command.every((word) => typeof word === "string");
  return isList ? { command: command.map(shellWord).join(" ") } : {};
}
