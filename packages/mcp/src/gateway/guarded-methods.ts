import { type Fields, fieldsOf } from "../protocol/message.js";
import { lookAlikeIn } from "./look-alikes.js";
import { promptResult, type ResultShape, resourceResult, toolResult } from "./results.js";

/** A request that guards decide about, as a tool call. */
export interface GuardedMethod {
  /** What is wrong with a request that servers may read otherwise than guards do, such as a name in a list. */
  fault(params: Fields): string | undefined;
  /** The tool's name behind that of the server. */
  tool(params: Fields): string;
  /** The server's own name of it: that of the tool, or of the method. */
  runtimeName(params: Fields): string;
  input(params: Fields): unknown;
  /** The request with what the guards have made of the input. */
  withInput(params: Fields, input: Fields): Fields;
  readonly result: ResultShape;
}

/** What the parameters of a retry have in the modern era. */
const RETRIED = ["_meta", "inputResponses", "requestState", "task"];
const CALLED = ["name", "arguments", ...RETRIED];

/** Every request whose answer a model reads as content. Lists and completions pass. */
export const guardedMethods: { readonly [method: string]: GuardedMethod } = {
  "tools/call": {
    fault: (params) => lookAlikeIn(params, CALLED) ?? namelessOf("name", params.name) ?? shapelessOf(params.arguments),
    tool: ({ name }) => textOf(name),
    runtimeName: ({ name }) => textOf(name),
    input: ({ arguments: input }) => input ?? {},
    withInput: (params, input) => ({ ...params, arguments: input }),
    result: toolResult,
  },
  "resources/read": {
    fault: (params) => lookAlikeIn(params, ["uri", ...RETRIED]) ?? namelessOf("uri", params.uri),
    tool: () => "resources_read",
    runtimeName: () => "resources/read",
    input: ({ uri }) => ({ uri }),
    withInput: (params, { uri }) => ({ ...params, uri }),
    result: resourceResult,
  },
  "prompts/get": {
    fault: (params) => lookAlikeIn(params, CALLED) ?? namelessOf("name", params.name) ?? shapelessOf(params.arguments),
    tool: () => "prompts_get",
    runtimeName: () => "prompts/get",
    input: ({ name, arguments: input }) => ({ name, arguments: input ?? {} }),
    withInput: (params, { name, arguments: input }) => ({ ...params, name, arguments: input }),
    result: promptResult,
  },
};

/** As agents spell it: `mcp__files__read_file`. */
export function toolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** The id that the client itself has given the call, if it tells it, so that the record connects both views of it. */
export function callIdOf(params: Fields, own: string): string {
  const id = fieldsOf(params._meta)["claudecode/toolUseId"];
  return typeof id === "string" && id !== "" ? id : own;
}

function namelessOf(field: string, value: unknown): string | undefined {
  if (value === "") return `"${field}" is empty`;
  return typeof value === "string" ? undefined : `"${field}" is not text`;
}

function shapelessOf(input: unknown): string | undefined {
  return input === undefined || input === null || fieldsOf(input) === input ? undefined : '"arguments" is not an object';
}

function textOf(name: unknown): string {
  return typeof name === "string" ? name : "";
}
