import { readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hub } from "hookline/hub";
import { describe, expect, it } from "vitest";
import { call, hookYaml } from "../../../../../test/support/hook-files.js";
import { type Decided, decideIn, IN_HOOKS, projectGuard, projectHome } from "../../../../../test/support/project-hub.js";
import { removeFolder } from "../../../../../test/support/remove-folder.js";

const soon = { timeout: 60_000 };

async function decide(hub: Hub, payload: object, session?: object): Promise<Decided> {
  const response = await fetch(new URL("/api/decide", hub.file.url), {
    method: "POST",
    headers: { authorization: `Bearer ${hub.file.token}`, "content-type": "application/json" },
    body: JSON.stringify({ event: "tool:before", payload, session, timeoutMs: 10_000 }),
  });
  return (await response.json()) as Decided;
}

describe("a project's hook", () => {
  it("cannot undo what a rule of the user has rewritten: the call is denied, which is said once", async () => {
    const strip = "export const handle = (e, c) => ({ args: { command: c.tool.input.command.replace('sandbox ', '') } });\n";
    const toml = '[[rule]]\nname = "sandbox"\ntool = "Bash"\ndo = "modify"\nset = { "tool.input.command" = "sandbox {value}" }\n';
    const more = "permissions: [tools.intercept]\n";
    const home = projectHome(
      { ...projectGuard("late", strip, `${more}stage: rewrite\npriority: -1000\n`), ...projectGuard("guard", strip, more) },
      toml,
    );
    home.consent("late");
    home.consent("guard");
    const hub = await home.start();
    expect(hub.parts.bus.list().map(({ name, stage }) => `${name} ${stage}`)).toEqual([
      "sandbox rewrite",
      "proj/guard guard",
      "proj/late guard",
    ]);
    for (let i = 0; i < 2; i++)
      expect(await decideIn(hub, home.project)).toMatchObject({
        verdict: "deny",
        by: "proj/guard",
        reason: expect.stringContaining("tried to rewrite"),
        payload: { tool: { input: { command: "sandbox ls" } } },
      });
    expect(home.problems.filter((text) => text.includes('The hook "proj/guard" tried to rewrite'))).toHaveLength(1);
  });

  it("is named as its folder is when its module cannot be loaded", async () => {
    const home = projectHome(projectGuard("guard", "syntax error\n"));
    home.write({ [`${IN_HOOKS}/guard/HOOK.yaml`]: "events: [tool:before]\npermissions: [tools.intercept]\n" });
    home.consent("guard");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining('Handler "proj/guard" failed'),
    });
  });
});

describe("a program in a trusted copy", () => {
  const main = `
import sys, json, helper
for line in sys.stdin:
    message = json.loads(line)
    result = {"protocolVersion": 1} if message["method"] == "initialize" else helper.answer()
    print(json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}), flush=True)
`;
  const helper = 'def answer():\n    return {"decision": "deny", "reason": "helper says no"}\n';
  const files = {
    [`${IN_HOOKS}/ext/extension.json`]: JSON.stringify({
      protocol: 1,
      name: "ext",
      command: "python3",
      args: ["-u", "main.py"],
      permissions: ["tools.intercept"],
      hooks: [{ event: "tool:before", tool: "B*" }],
    }),
    [`${IN_HOOKS}/ext/main.py`]: main,
    [`${IN_HOOKS}/ext/helper.py`]: helper,
  };

  it("writes nothing beside itself", async () => {
    const home = projectHome(files);
    home.consent("ext");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "helper says no" });
    const [copy = ""] = readdirSync(join(home.state, "trusted"));
    const folder = join(home.state, "trusted", copy);
    expect(readdirSync(folder)).toEqual(["extension.json", "helper.py", "main.py"]);
    expect(statSync(folder).mode & 0o777).toBe(0o500);
    await hub.parts.selftest(new AbortController().signal);
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "helper says no" });
  });

  it("denies, once the copy is lost, what it was asked about and nothing else", async () => {
    const home = projectHome(files);
    home.consent("ext");
    removeFolder(join(home.state, "trusted"));
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", by: "proj/ext" });
    const other = { cwd: home.project, tool: { name: "Read", callId: "1", input: {} } };
    expect(await decide(hub, other)).toMatchObject({ verdict: "pass" });
  });
});

describe("a session that was in a project", () => {
  const guarded = { verdict: "deny", reason: "guard says no" };

  it("stays in it after the hub restarts, whatever its next event says", async () => {
    const home = projectHome(projectGuard("guard"));
    home.consent("guard");
    const first = await home.start();
    const id = { id: "S" };
    expect(await decide(first, call("ls", { cwd: home.project }), id)).toMatchObject(guarded);
    for (const session of [undefined, null, {}, { id: null }, { id: "" }, { id: 7 }, "S", []])
      expect(await decide(first, call("ls", { cwd: "/", session }), id)).toMatchObject(guarded);
    expect(await decide(first, call("ls", { cwd: "/" }))).toMatchObject({ verdict: "pass" });
    await first.close();
    expect(statSync(join(home.state, "sessions.json")).mode & 0o777).toBe(0o600);
    const second = await home.start();
    expect(await decide(second, call("ls", { cwd: "/", session: id }))).toMatchObject(guarded);
    expect(await decide(second, call("ls", { cwd: "/", session: { id: "T" } }))).toMatchObject({ verdict: "pass" });
    await second.close();
    writeFileSync(join(home.state, "sessions.json"), "{");
    await home.start();
    expect(home.problems.join()).toContain("sessions.json");
  });
});

describe("a project that was moved", () => {
  it("is another project, also by a link in its old place, which the hub says, and keeps the sessions it had", async () => {
    const home = projectHome({
      ...projectGuard("guard"),
      [`${IN_HOOKS}/guard/HOOK.yaml`]: hookYaml("guard", "permissions: [tools.intercept]\n"),
    });
    home.consent("guard");
    const hub = await home.start();
    const session = { id: "before" };
    expect(await decide(hub, call("ls", { cwd: home.project, session }))).toMatchObject({ verdict: "deny" });
    const moved = join(home.home, "moved");
    renameSync(home.project, moved);
    symlinkSync(moved, home.project);
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject({ verdict: "pass" });
    expect(await decide(hub, call("ls", { cwd: home.project, session }))).toMatchObject({ verdict: "deny" });
    expect(home.problems.join()).toContain(`An agent works in "${moved}", whose hooks do not all run: guard (untrusted)`);
    expect(hub.parts.hooks().untrusted).toEqual([{ project: moved, hooks: ["guard (untrusted)"] }]);
  });
});
