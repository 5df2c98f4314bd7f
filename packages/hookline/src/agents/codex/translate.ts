import { usageOf } from "@hookline/core/internal";
import { callKey, toolFields, workerFields } from "../shared/common-fields.js";
import { type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { type CodexEvent, events } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in CodexEvent]?: (native: NativePayload) => Json } = {
  SessionStart: (native) => present({ trigger: native.text("source") }),
  SessionEnd: (native) => present({ reason: native.text("reason") }),
  UserPromptSubmit: (native) => ({ prompt: native.needed("prompt") }),
  PostModelRequest: (native) => present({ ...usage(native), error: native.fields.error ?? undefined }),
  PreToolUse: tool,
  // Codex does not report how the call ended: a failed command arrives as its output only.
  PostToolUse: (native) => ({ ...tool(native), status: "ok" }),
  PermissionRequest: tool,
  PreCompact: (native) => present({ trigger: native.text("trigger") }),
  PostCompact: (native) => present({ trigger: native.text("trigger") }),
  SubagentStart: (native) => workerFields(native, "running"),
  SubagentStop: (native) => ({ ...workerFields(native, "completed"), ...present({ message: native.text("last_assistant_message") }) }),
  Stop: (native) => present({ message: native.text("last_assistant_message"), isAgain: native.flag("stop_hook_active") }),
  Interrupt: () => ({ reason: "interrupted" }),
};

/** Translates an event of Codex. */
export const translate = createTranslator({ agent: "codex", events, details, eventOf, keyOf: callKey });

function eventOf(name: CodexEvent, native: NativePayload): string {
  if (name !== "PostModelRequest") return events[name].event;
  return (native.text("status") ?? "completed") === "completed" ? "llm:after" : "llm:error";
}

function tool(native: NativePayload): Json {
  const fields = toolFields(tools, native);
  if (native.text("tool_name") !== "apply_patch") return fields;
  const { input, ...rest } = fields.tool as { readonly input: Json };
  return { tool: { ...rest, input: withPaths(input) } };
}

/** A patch may change many files. Rules about a single file read `path`; rules about any file read `paths`. */
function withPaths(input: Json): Json {
  const paths = patchPaths(input.command);
  return { ...input, ...(paths.length === 1 && { path: paths[0] }), paths };
}

function usage(native: NativePayload): Json {
  const given = native.object("token_usage") ?? {};
  const counted = usageOf({
    input: given.input_tokens,
    output: given.output_tokens,
    cacheRead: given.cached_input_tokens,
    cacheWrite: given.cache_write_input_tokens,
    reasoning: given.reasoning_output_tokens,
    isCacheInInput: true,
  });
  return Object.keys(counted).length === 0 ? {} : { usage: counted };
}

const PATCHED_FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that a patch names, without duplicates. */
function patchPaths(patch: unknown): string[] {
  if (typeof patch !== "string") return [];
  return [...new Set([...patch.matchAll(PATCHED_FILE)].map(([, path]) => (path ?? "").trim()))];
}
