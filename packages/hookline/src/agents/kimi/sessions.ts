import { join } from "node:path";
import { type Json, present } from "../shared/native-payload.js";
import {
  type AgentSessions,
  aboutSession,
  OpenCalls,
  objectIn,
  objectOf,
  type PastEvent,
  pastEvent,
  type SessionFile,
  type SessionReader,
  sessionFolder,
  textIn,
  usageEvent,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

/** `~/.kimi-code/sessions/<project>/<session>/agents/<agent>/wire.jsonl`. Taken from Kimi Code 2.1.0. */
export const sessions: AgentSessions = {
  folders: ({ KIMI_CODE_HOME, HOME = "" }) =>
    sessionFolder(join(KIMI_CODE_HOME ?? join(HOME, ".kimi-code"), "sessions"), /^[^/]+\/[^/]+\/agents\/[^/]+\/wire\.jsonl$/),
  open: createReader,
};

/** Everything else that the loop of an agent notes. */
const NOTES = /^(metadata|(agent|context|file_history|llm|permission|plugin|profile|prompt|runtime|token_counting|turn)\.[\w.]+)$/;

function createReader({ path, beside }: SessionFile): SessionReader {
  const calls = new OpenCalls();
  const [agent = "main", , session = ""] = path.split("/").slice(0, -1).reverse();
  const cwd = textIn(objectOf(beside("../../state.json")), "cwd");
  let used = 0;

  const hookFields = (): Json => present({ session_id: session, cwd });
  const about = (model?: string) => aboutSession({ platform: "kimi", session, cwd, model, ...(agent !== "main" && { agent }) });
  /** Its hooks do not tell its subagents apart; its files do. */
  const past = (native: string, fields: Json, moment: Pick<PastEvent, "at" | "key">): PastEvent => {
    const event = pastEvent(translate, native, { ...hookFields(), ...fields }, moment);
    return agent === "main" ? event : { ...event, payload: { ...event.payload, agent: { platform: "kimi", id: agent } } };
  };

  function fromLoop(event: Json, at: unknown): PastEvent[] {
    const [type, id] = [textIn(event, "type"), textIn(event, "toolCallId")];
    if (id === undefined) return [];
    if (type === "tool.call") {
      const fields = calls.begin(id, textIn(event, "name") ?? "", event.args);
      return [past("PreToolUse", fields, { at, key: `before ${session} ${id}` })];
    }
    const call = type === "tool.result" ? calls.end(id) : undefined;
    if (call === undefined) return [];
    const { output, isError, durationMs } = objectIn(event, "result");
    const fields = { ...call, ...present({ tool_output: output, duration_ms: durationMs }) };
    const failed = isError === true ? { error: output } : {};
    return [past(isError === true ? "PostToolUseFailure" : "PostToolUse", { ...fields, ...failed }, { at, key: `after ${session} ${id}` })];
  }

  return {
    read(record) {
      const at = record.time;
      const type = textIn(record, "type") ?? "";
      if (type === "context.append_loop_event") return fromLoop(objectIn(record, "event"), at);
      if (type === "usage.record") {
        const { inputOther: input, output, inputCacheRead: cacheRead, inputCacheCreation: cacheWrite } = objectIn(record, "usage");
        const usage = { input, output, cacheRead, cacheWrite };
        return [usageEvent(about(textIn(record, "model")), usage, { at, key: `usage ${session} ${agent} ${used++}` })];
      }
      // The first message of a subagent comes from the agent that started it.
      if (type === "turn.prompt" && agent === "main" && objectIn(record, "origin").kind === "user")
        return [past("UserPromptSubmit", { prompt: record.input }, { at, key: `prompt ${session} ${record.promptId}` })];
      return NOTES.test(type) ? [] : undefined;
    },
  };
}
