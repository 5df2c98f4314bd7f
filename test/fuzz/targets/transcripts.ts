import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBus, HookError } from "@hookline/core";
import { createTranscript, readTranscript, replayBus, verifyTranscript } from "@hookline/core/transcript";
import { pastAgents } from "../../../packages/hookline/dist/agents/agents.js";
import { type FuzzTarget, inProcess } from "../target.ts";

/** Recorded transcripts, and the session files of agents, whose lines are JSON, too. */
export const transcripts: FuzzTarget = {
  name: "transcripts",
  samples: [
    await recorded(),
    '{"type":"user","message":{"role":"user","content":"hi"},"sessionId":"s","uuid":"u","timestamp":"2026-01-01T00:00:00Z","cwd":"/c"}\n{"type":"assistant","message":{"id":"m","model":"x","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":1,"output_tokens":2}},"sessionId":"s","uuid":"v","timestamp":"2026-01-01T00:00:01Z"}\n',
    '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/c","cli_version":"1"}}\n{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\\"command\\":[\\"ls\\"]}","call_id":"c"}}\n',
    '{"sessionId":"s","messages":[{"type":"user","content":"hi","timestamp":"2026-01-01T00:00:00Z"}]}\n',
  ],
  words: [
    "hook_call",
    "hook_returned",
    "hook_vetoed",
    "decision",
    "hash",
    "prev",
    "closed",
    '"n":',
    '"type":',
    "tool_use",
    "tool_result",
    "usage",
    "tokens",
  ],
  open: async () =>
    inProcess((input) => {
      const lines = input.toString("utf8").split("\n");
      return taped(lines) ?? past(lines);
    }),
};

async function recorded(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hl-z-"));
  const path = join(folder, "tape.jsonl");
  const transcript = createTranscript({ path });
  const bus = createBus({ source: "fuzz" });
  transcript.attach(bus);
  bus.on("tool:before", () => ({ block: true, reason: "no" }));
  await bus.decide("tool:before", { tool: { name: "Bash", input: { command: "ls" } } });
  bus.emit("agent:start", {});
  transcript.close();
  const text = readFileSync(path, "utf8");
  rmSync(folder, { recursive: true });
  return text;
}

/** A changed tape is never called whole, and never ends a reader. */
function taped(lines: readonly string[]): string | undefined {
  const { problems } = verifyTranscript(lines);
  for (const { line, message } of problems)
    if (!(line >= 1 && line <= lines.length + 1) || message === "") return `a problem at line ${line}: ${message}`;
  try {
    replayBus(readTranscript(lines));
  } catch (error) {
    if (!(error instanceof HookError) || !error.code.startsWith("HL_")) return `${error instanceof Error ? error.stack : error}`;
  }
  return undefined;
}

function past(lines: readonly string[]): string | undefined {
  for (const { id, sessions } of pastAgents) {
    const reader = sessions.open({ path: "/nowhere/2026-01-01/rollout-s.jsonl", beside: () => undefined });
    for (const line of lines) {
      let record: unknown;
      try {
        record = JSON.parse(line);
      } catch {
        continue;
      }
      if (typeof record !== "object" || record === null || Array.isArray(record)) continue;
      try {
        reader.read(record as never);
      } catch (error) {
        return `${id}: ${error instanceof Error ? error.stack : error}`;
      }
    }
    reader.end?.();
  }
  return undefined;
}
