import { readFileSync, writeFileSync } from "node:fs";
import { ask } from "@hookline/core";
import { expect, it } from "vitest";
import { attachedAgent } from "../../../../../test/support/attached-agent.ts";
import { until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { agents } from "../../agents/agents.js";
import { applyAttach, planAttach } from "../../agents/attach/plan-attach.js";
import { attachFolder, readAttachKey } from "../../agents/client/attach-key.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

it("denies before the agent stops waiting, by the timeout that its file has now", async () => {
  const [definition] = agents as [AgentDefinition];
  const { hub, state, play } = await attachedAgent(definition, false);
  hub.parts.bus.on("tool:before", () => ask("sure?"), { name: "careful" });
  const home = testFolder();
  const folder = attachFolder(state);
  const setting = {
    agent: definition,
    target: "user",
    isStrict: false,
    env: { HOME: home },
    cwd: home,
    folder,
    socket: hub.file.http,
  } as const;
  const plan = planAttach(setting);
  applyAttach(plan);
  const { path } = plan.edit.target;
  writeFileSync(path, readFileSync(path, "utf8").replaceAll('"timeout": 600', '"timeout": 2'));
  const call = { session_id: "s1", cwd: "/srv", tool_use_id: "t1", tool_name: "Bash", tool_input: { command: "ls" } };
  const { exitCode, stderr } = await play("PreToolUse", JSON.stringify(call));
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/within 1500 ms|No one answered|in time/)]);
});

// The user rotates the keys during an approval: the agent's script waits with the old seal, and must recognize the hub's answer.
it("answers a call that waits for a person also when the keys were replaced meanwhile", async () => {
  const [definition] = agents as [AgentDefinition];
  const { hub, state, play, stored, misses } = await attachedAgent(definition, false);
  hub.parts.bus.on("tool:before", () => ask("sure?"), { name: "careful" });
  const call = JSON.stringify({ session_id: "s1", cwd: "/srv", tool_use_id: "t1", tool_name: "Bash", tool_input: { command: "ls" } });
  const playing = play("PreToolUse", call);
  const waiting = () => hub.parts.approvals.list()[0];
  await until(() => waiting() !== undefined);
  const before = readAttachKey(state);
  expect(hub.parts.rotateKeys("all")).toEqual([]);
  expect(readAttachKey(state)?.token).not.toBe(before?.token);
  expect(readAttachKey(state)?.seal).not.toBe(before?.seal);
  const { id, hash } = waiting() ?? { id: "", hash: "" };
  const answer = await fetch(`${hub.file.url}/api/approvals/${id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" },
    body: JSON.stringify({ verdict: "deny", hash, reason: "no, thanks" }),
  });
  expect(answer.status).toBe(200);
  expect(await playing).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^Hookline asked a person, who said no: no, thanks\. Details: /),
  });
  expect(await play("PreToolUse", "{}")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("cannot judge") });
  expect(misses()).toEqual([]);
  expect(await stored("tool:before", 2)).toHaveLength(2);
});
