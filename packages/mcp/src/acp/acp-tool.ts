import type { ToolKind } from "@agentclientprotocol/sdk";
import type { ToolCall } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { type Fields, fieldsOf } from "../protocol/message.js";

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
  const kind = typeof call.kind === "string" ? call.kind : "other";
  const name = Object.hasOwn(NAMES, kind) ? NAMES[kind as ToolKind] : undefined;
  const { rawInput, title, locations, toolCallId } = call;
  const input = typeof rawInput === "object" && rawInput !== null && !Array.isArray(rawInput) ? fieldsOf(rawInput) : { value: rawInput };
  const [path] = (Array.isArray(locations) ? locations : []).map((location) => fieldsOf(location).path);
  return {
    name: name ?? `acp__${kind}`,
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

/** A command as a list of words is one text for the rules, in which each word stays one: `bash -c 'rm -rf x'`. */
function commandOf(command: unknown): Fields {
  const isList = Array.isArray(command) && command.every((word) => typeof word === "string");
  return isList ? { command: command.map(shellWord).join(" ") } : {};
}
