import { readFileSync } from "node:fs";
import { createBus, findEvent } from "@hookline/core";
import { decodeFrame } from "@hookline/core/adapters/codewhale";
import { checkPath, samplePayload, samplePayloads } from "@hookline/core/internal";
import { createReminderBook, provideReminders } from "@hookline/core/remind";
import { describe, expect, it } from "vitest";
import { baseShape, eventShapes, familyShapes } from "../../../core/src/catalog/payload-shapes.js";
import { republish } from "../../../core/src/forward/republish.js";
import { fromHermes } from "../hub/routes/hermes-event.js";
import { translate as antigravity } from "./antigravity/translate.js";
import { translate as claudeCode } from "./claude-code/translate.js";
import { translate as cline } from "./cline/translate.js";
import { translate as codex } from "./codex/translate.js";
import { translate as copilot } from "./copilot/translate.js";
import { translate as cursor } from "./cursor/translate.js";
import { translate as gemini } from "./gemini/translate.js";
import { translate as goose } from "./goose/translate.js";
import { translate as hermes } from "./hermes/translate.js";
import { translate as kimi } from "./kimi/translate.js";
import { translate as kiro } from "./kiro/translate.js";
import { translate as openCode } from "./opencode/translate.js";
import { translate as pi } from "./pi/translate.js";
import { translate as qwen } from "./qwen/translate.js";
import { translate as windsurf } from "./windsurf/translate.js";

type Json = { readonly [key: string]: unknown };

const agents = {
  "claude-code": [claudeCode, ["captured", "from-schema"]],
  cline: [cline, ["captured"]],
  codex: [codex, ["captured"]],
  copilot: [copilot, ["camel-case", "pascal-case"]],
  gemini: [gemini, ["payloads"]],
  opencode: [openCode, ["captured"]],
  pi: [pi, ["captured"]],
  goose: [goose, ["captured"]],
  kimi: [kimi, ["captured"]],
  qwen: [qwen, ["captured"]],
  cursor: [cursor, ["documented"]],
  antigravity: [antigravity, ["documented"]],
  hermes: [hermes, ["documented"]],
  windsurf: [windsurf, ["documented"]],
  kiro: [kiro, ["documented"]],
} as const;

/** Each event that the fixtures hold, as it arrives. */
function* translated(agent: keyof typeof agents): Generator<{ readonly event: string; readonly payload: Json }> {
  const [translate, files] = agents[agent];
  for (const file of files) {
    const fixtures = JSON.parse(readFileSync(new URL(`./${agent}/fixtures/${file}.json`, import.meta.url), "utf8")) as Json;
    for (const [name, native] of Object.entries(fixtures)) yield translate(name, native);
  }
}

/** Every path that has a value, down to the parts that are the tool's or the agent's own. */
function pathsOf(payload: Json, above: readonly string[] = []): string[] {
  return Object.entries(payload).flatMap(([key, value]) => {
    const path = [...above, key];
    const isPart = typeof value === "object" && value !== null && !Array.isArray(value) && above.length === 0;
    return isPart && key !== "raw" ? [path.join("."), ...pathsOf(value as Json, path)] : [path.join(".")];
  });
}

function unknownIn(event: string, payload: Json): string[] {
  return pathsOf(payload).filter((path) => checkPath(path, [event]) !== undefined);
}

describe("what agents send can be matched", () => {
  for (const agent of Object.keys(agents) as (keyof typeof agents)[])
    it(agent, () => {
      for (const { event, payload } of translated(agent)) {
        // A custom event of the agent: its fields are not known.
        if (findEvent(event)?.spec.permission === "custom.observe") continue;
        expect([event, unknownIn(event, payload)]).toEqual([event, []]);
      }
    });

  it("samples", () => {
    for (const [event, payload] of Object.entries(samplePayloads)) expect([event, unknownIn(event, payload)]).toEqual([event, []]);
  });
});

/** Codewhale's frames. What a generic one has besides arrives as it is. */
const frames = [
  ...["response_start", "response_delta", "response_end"].map((type) => ({ type, response_id: "r", delta: "x" })),
  ...["start", "progress", "end"].map((phase) => ({
    type: "tool_lifecycle",
    response_id: "r",
    tool_name: "t",
    phase,
    payload: { error: "e" },
  })),
  ...["requested", "denied"].map((phase) => ({ type: "approval_lifecycle", approval_id: "a", phase })),
  ...[
    { event: "response_start", response_id: "r" },
    { event: "response_delta", response_id: "r", delta: "x" },
    { event: "response_delta", response_id: "r", delta: "x", channel: "reasoning" },
    { event: "response_end", response_id: "r", delta: "x" },
    { event: "error", response_id: "r", tool_name: "t", message: "broke" },
    { event: "turn_started", turn_id: "t" },
    { event: "turn_complete", turn_id: "t" },
    { event: "exec_approval_request", tool_name: "t", reason: "r", request: { approval_id: "a" } },
    { event: "mcp:call", tool_name: "t" },
    { event: "exec:begin", tool_name: "t", command: "ls" },
    { event: "patch:begin", tool_name: "t" },
  ].map((frame) => ({ type: "generic_event_frame", frame })),
];

const user = ["platform", "user_id"];
const chat = [...user, "chat_id", "thread_id", "chat_type", "session_id"];
/** The fields of each event that Hermes' gateway forwards, by its documentation. */
const gateway = {
  "gateway:startup": ["platforms"],
  "session:start": [...user, "session_id", "session_key"],
  "session:end": [...user, "session_key"],
  "session:reset": [...user, "session_key"],
  "session:compress": ["platform", "session_id", "old_session_id", "in_place", "compression_count"],
  "agent:start": [...chat, "message"],
  "agent:step": [...user, "session_id", "iteration", "tool_names"],
  "agent:end": [...chat, "message", "response", "model", "provider"],
  "command:help": [...user, "command", "raw_command", "args", "raw_args"],
  "message:pre_route": [...chat, "session_key", "message"],
  "reaction:added": [...chat, "reaction", "item_user_id", "item_type", "channel_id", "message_ts", "team_id", "event_ts", "raw_event"],
};

async function* reports(): AsyncGenerator<{ readonly event: string; readonly payload: Json }> {
  const told: { readonly event: string; readonly payload: Json }[] = [];
  const book = createReminderBook();
  const bus = createBus({ reminders: book, onError: () => undefined });
  bus.on("reminder:*", ({ name, payload }) => void told.push({ event: name, payload }));
  bus.on("myapp:told", ({ payload }) => void told.push({ event: "notification:sent", payload }));
  provideReminders(bus, book, { name: "p", events: ["tool:after"], provide: () => Promise.reject(new Error("no")) });
  book.add({ body: "b" }, { session: "s" });
  book.forget("s");
  await bus.emit("tool:after", samplePayloads["tool:after"]);
  await republish(bus, fromHermes({ event_type: "myapp:told", context: {}, src: "h" }, "here"));
  yield* told;
}

describe("each field that a pattern may name", () => {
  it("is filled by something", async () => {
    const filled = new Set<string>();
    const fill = (event: string, payload: Json): void => {
      const [namespace = ""] = event.split(":");
      const row = Object.hasOwn(familyShapes, namespace) ? namespace : event;
      for (const path of pathsOf(payload)) filled.add(`${row} ${path}`).add(`* ${path}`);
    };
    for (const event of [...Object.keys(eventShapes), ...Object.keys(familyShapes).map((family) => `${family}:x`)])
      fill(event, samplePayload(event));
    for (const agent of Object.keys(agents) as (keyof typeof agents)[])
      for (const { event, payload } of translated(agent)) fill(event, payload);
    for (const { event, payload } of frames.map(decodeFrame)) fill(event, payload);
    for (const [type, fields] of Object.entries(gateway)) {
      const { event, payload } = fromHermes(
        { event_type: type, context: Object.fromEntries(fields.map((key) => [key, "x"])), src: "h" },
        "",
      );
      fill(event, payload as Json);
    }
    for await (const { event, payload } of reports()) fill(event, payload);

    const listed = Object.entries({ "*": baseShape, ...eventShapes, ...familyShapes }).flatMap(([row, shape]) =>
      Object.entries(shape).flatMap(([key, part]: [string, unknown]) => {
        const name = key.replace("?", "");
        // The parts of a payload are the same in every event.
        const isPart = typeof part === "object" && part !== null && row === "*";
        return isPart ? Object.keys(part).map((below) => `${row} ${name}.${below.replace("?", "")}`) : [`${row} ${name}`];
      }),
    );
    expect(listed.filter((path) => !filled.has(path))).toEqual([]);
  });
});
