import { join } from "node:path";
import { createNonce, prove } from "@hookline/core/internal/machine";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeEnvelope } from "../../../../../test/support/http-hub.js";
import { LineClient } from "../../../../../test/support/line-client.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { isAgentName } from "./agent-names.js";
import { createOwnSource, hidesSigns } from "./own-source.js";

/** The hub's name and those of attached agents, as another process might write them. */
const forged = [
  ...[
    "hookline-hub-1",
    "Hookline Hub (2)",
    "hookline-hub-2b",
    "my-hookline-hub",
    "hооkline-hub-1",
    "hookline-1",
    "HOOKLINE 2",
    "#1 hookline",
  ],
  ...["hub", "HUB", "hub-1", "Hub 2", "հub", "hυb_3"],
  ...[
    "hookline-hub",
    "Hookline Hub",
    "hооkline-hub",
    "hоοkline-hub",
    "ｈｏｏｋｌｉｎｅ－ｈｕｂ",
    "𝗵𝗼𝗼𝗸𝗹𝗶𝗻𝗲-𝗵𝘂𝗯",
    "hookIine-hub",
    "hook1ine-hub",
    "һооklіnе-һub",
  ],
  ...["hookline", "Hook Line", "ΗООКLINE", "hook1ine"],
  ...["hóokline-hub", "hook\u200bline-hub", "HOOKLINE_HUB", "ꓧꓳꓳꓗꓡꓲꓠꓰ-ꓧꓴꓐ", "հookline-hub"],
  ...[
    "claude-code",
    "Claude Code",
    "сlaude-code",
    "clаude-cоde",
    "cIaude-code",
    "c1aude-c0de",
    "ⅽⅼaude-code",
    "codex",
    "соdех",
    "cοdex",
    "ϲodex",
  ],
  ...["gemini", "gеmini", "gemіnі", "gernini", "copilot", "соpilоt", "copіlot", "c0pilot"],
  ...["Gemini CLI", "gemini-cli", "Copilot CLI", "copilot-cli", "\uabafodex", "\u13dfodex", "\u045bookline-hub"],
];
/** With these, the name of any process can look like that of another. */
const hiding = [
  ...["\u202ebuh-enilkooh", "\u2067agent\u2069", "agent\u200b", "a\u200dgent", "agent\ufe0f", "agent\u00ad", "agent\u3164"],
  ...["\ufeffagent", "agent\u200e", "a\u061cgent", "agent\u{e0061}", "agent\u2028", "agent\u0007", "agent\u180e"],
];
const others = [
  "👩\u200d💻 pair",
  "❤\ufe0f",
  "agent",
  ...["p1", "p-1"],
  "my-hub",
  "hooklines",
  "my-hookline",
  "hookline-mcp",
  "github",
  "hubs",
  "claude",
  "code",
  "codexplorer",
  "gem",
  "пилот",
  "エージェント",
  "copilots",
];

describe("names", () => {
  it("that look like the hub's or an attached agent's are the same name", () => {
    const own = createOwnSource("hub1");
    const isForged = (app: string): boolean =>
      isAgentName({ app, instance: "i1" }) || own.isClaimedBy({ app, host: "h", pid: 1, instance: "i1" });
    expect(forged.filter((app) => !isForged(app) && !hidesSigns(app))).toEqual([]);
    expect(others.filter(isForged)).toEqual([]);
  });

  it("with invisible signs are known", () => {
    expect(hiding.filter((name) => !hidesSigns(name))).toEqual([]);
    expect([...others, "agent\u0301", "עוזר", "وكيل"].filter(hidesSigns)).toEqual([]);
  });

  it("of the hub and of attached agents are refused from any process, on every way in", async () => {
    const hub = await startHub({ state: join(testFolder(), "state"), port: 0, onProblem: () => {} });
    onTestFinished(() => hub.close());
    const { file, parts } = hub;
    const headers = { authorization: `Bearer ${file.token}`, "content-type": "application/json" };
    const client = await LineClient.attached(file.line, file.token);
    onTestFinished(() => void client.socket.destroy());
    const actor = { kind: "person", name: "ann", at: "hub" } as const;
    const decision = { verdict: "allow", by: "ann", actor, modified: false, endLoop: false } as const;
    const report = (app: string, instance = "i1") =>
      makeEnvelope({ event: "tool:before", source: { app, host: "h", pid: 1, instance }, decision });
    const refused = [...forged, ...hiding];
    for (const app of refused) client.say(report(app));
    client.say(report("agent", "claude-code"), report("agent"));
    await client.next((frame) => frame.type === "ack" && frame.n === refused.length + 2);
    expect(client.frames.filter(({ type }) => type === "refused")).toHaveLength(refused.length + 1);
    for (const app of ["claude-code", "сlaude-code", "hооkline-hub", "hookline", "agent\u200b"]) {
      const body = JSON.stringify(report(app));
      const answer = await fetch(`${file.url}/api/hooks/ingest`, { method: "POST", headers, body });
      expect([app, answer.status, await answer.text()]).toEqual([app, 400, expect.stringContaining("HL_FORGED_SOURCE")]);
      const line = new LineClient(file.line);
      const { instance, nonce } = await line.hello(createNonce());
      const source = { app, host: "h", pid: 1, instance: "i2" };
      line.say({ type: "login", proof: prove(file.token, "client", instance, nonce), source });
      await line.closed();
      expect(line.frames.at(-1)).toEqual({ type: "bye", reason: "name" });
    }
    expect((await parts.store.page({ events: ["tool:before"] }, { limit: 10 })).events).toHaveLength(1);
  });

  it("of an attached agent are stored for its own hooks", async () => {
    const hub = await startHub({ state: join(testFolder(), "state"), port: 0, onProblem: () => {} });
    onTestFinished(() => hub.close());
    const headers = { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" };
    const body = JSON.stringify({ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    await fetch(`${hub.file.url}/api/agents/claude-code/PreToolUse?plain=1`, { method: "POST", headers, body });
    const stored = async () => (await hub.parts.store.page({ events: ["tool:before"] }, { limit: 10 })).events;
    await expect.poll(stored).toHaveLength(1);
    expect(JSON.parse((await stored())[0]?.body ?? "{}")).toMatchObject({ source: { app: "claude-code" } });
  });
});
