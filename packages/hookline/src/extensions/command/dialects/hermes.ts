import { again, ask, type HookEvent } from "@hookline/core";
import { quietly } from "@hookline/core/internal";
import {
  allows,
  context,
  foreignVerdict,
  hasOneOf,
  joined,
  notUnderstood,
  otherWord,
  reasonOf,
  refusal,
  strayRewrite,
  unreadable,
} from "./answers.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { crashed, isObject, type JsonObject, readObject } from "./read-document.js";

const KEYS = ["action", "decision"];
const REWRITES = ["args", "tool_input"];
/** Words that mean "continue": Hermes has no allow that would skip a prompt. */
const GO_ON = ["allow", "continue", "pass"];

const names: { readonly [event: string]: string } = {
  "tool:before": "pre_tool_call",
  "tool:after": "post_tool_call",
  "tool:result": "transform_tool_result",
  "prompt:build": "pre_llm_call",
  "llm:before": "pre_api_request",
  "llm:after": "post_api_request",
  "llm:error": "api_request_error",
  "session:start": "on_session_start",
  "session:end": "on_session_finalize",
  "session:reset": "on_session_reset",
  "turn:end": "on_session_end",
  "finish:before": "pre_verify",
  "worker:spawned": "subagent_start",
  "worker:completed": "subagent_stop",
  "permission:asked": "pre_approval_request",
  "permission:replied": "post_approval_response",
  "message:route": "pre_gateway_dispatch",
};

/** Hermes' shell hooks: `{ action: "block", message }`, `{ action: "modify", args }` or `{ context }`; exit 2 blocks. */
export const hermes: Dialect = {
  name: "hermes",

  write(event) {
    const { session, cwd, tool, output } = fieldsOf(event);
    const { tool: _tool, session: _session, cwd: _cwd, raw: _raw, ...extra } = event.payload;
    return {
      hook_event_name: names[event.name] ?? event.name,
      tool_name: tool?.name ?? null,
      tool_input: isObject(tool?.input) ? tool.input : null,
      session_id: session,
      cwd: cwd ?? "",
      extra: {
        ...extra,
        ...(tool?.callId !== undefined && { tool_call_id: tool.callId }),
        ...(output !== undefined && { result: output }),
      },
    };
  },

  speaks: (document) => hasOneOf(document, [...KEYS, "context"]),

  read(event, output) {
    if (output.exitCode === 2) return refusal(event, messageIn(output) ?? reasonOf(output.stderr));
    // Hermes reads stdout whatever the exit code is, so a deny in it counts.
    if (output.exitCode !== 0 && !saysNo(output)) throw crashed(output);
    const document = readObject(output.stdout);
    return document === undefined ? undefined : answerIn(document, event);
  },
};

function answerIn(document: JsonObject, event: HookEvent): CommandAnswer {
  const foreign = foreignVerdict(document, KEYS);
  if (foreign !== undefined) return foreign;
  const word = document.action === undefined ? document.decision : document.action;
  if (document.action === "block" || document.decision === "block") return refusal(event, messageOf(document));
  if (event.name === "finish:before" && word === "continue") {
    const message = messageOf(document);
    return message === undefined ? undefined : [again(message)];
  }
  if (word === "modify") return joined(rewrite(document, event), context(event, document.context));
  const stray = strayRewrite(document, [], event);
  if (stray !== undefined) return stray;
  // In Hermes' own key it means that a person must approve. As a `decision` it is Claude Code's word, and means to continue.
  if (document.action === "approve") return allows(event, "ask") ? [ask(messageOf(document))] : notUnderstood("approve");
  if (word === "approve") return context(event, document.context);
  if (word === undefined || (typeof word === "string" && GO_ON.includes(word))) return context(event, document.context);
  return otherWord(word, event, messageOf(document));
}

/** Hermes changes the named arguments and keeps the others. */
function rewrite(document: JsonObject, event: HookEvent): CommandAnswer {
  const stray = strayRewrite(document, REWRITES, event);
  if (stray !== undefined) return stray;
  const [key = "args", other] = REWRITES.filter((name) => Object.hasOwn(document, name));
  if (other !== undefined) return unreadable(`it has both "${key}" and "${other}"`);
  const [input, before] = [document[key], fieldsOf(event).tool?.input];
  return isObject(input) ? [{ args: { ...(isObject(before) ? before : {}), ...input } }] : unreadable(`its "${key}" is not an object`);
}

function saysNo({ stdout }: CommandOutput): boolean {
  const document = quietly(() => readObject(stdout));
  return document?.action === "block" || document?.decision === "block";
}

function messageIn({ stdout }: CommandOutput): string | undefined {
  const document = quietly(() => readObject(stdout));
  return document === undefined ? undefined : messageOf(document);
}

function messageOf({ action, message, reason }: JsonObject): string | undefined {
  return action === undefined ? (reasonOf(reason) ?? reasonOf(message)) : (reasonOf(message) ?? reasonOf(reason));
}
