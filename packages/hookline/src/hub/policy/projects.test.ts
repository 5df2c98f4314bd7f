import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { HookError } from "@hookline/core";
import type { Hub } from "hookline/hub";
import { describe, expect, it } from "vitest";
import { call, denying } from "../../../../../test/support/hook-files.js";
import { decideIn, IN_HOOKS, projectGuard, projectHome } from "../../../../../test/support/project-hub.js";

const soon = { timeout: 60_000 };
const rule = (name: string, rest: string) => `[[rule]]\nname = "${name}"\n${rest}\n`;
const TOML = ".hookline/hookline.toml";

/** What the guards say to a process that works in a folder and asks over the line. */
async function decideOverLine(state: string, cwd: string): Promise<unknown> {
  const core = (path: string) => JSON.stringify(new URL(`../../../../core/dist/${path}`, import.meta.url).href);
  const script = `
    const { createBus } = await import(${core("index.js")});
    const { connectToHub } = await import(${core("forward/index.js")});
    const bus = createBus({ source: "agent" });
    const line = connectToHub(bus, { folder: ${JSON.stringify(state)} });
    while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 20));
    const { verdict, reason } = await bus.decide("tool:before", { tool: { name: "Bash", callId: "1", input: { command: "ls" } } });
    console.log(JSON.stringify({ verdict, reason }));
    await line.close();
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(said);
}

/** The kind of failure behind a deny, and the error that the guard itself gave. */
async function causeOf({ parts }: Hub, cwd: string): Promise<unknown[]> {
  const { cause } = await parts.bus.decide("tool:before", call("ls", { cwd }));
  return [cause?.failure, (cause?.cause as HookError | undefined)?.code];
}

describe("the hooks of a project in the hub", () => {
  it("do nothing before consent, which takes effect while the hub runs, in that project only", async () => {
    const marker = "loaded";
    const home = projectHome({});
    const mark = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(join(home.home, marker))}, "");\n`;
    home.write(projectGuard("guard", mark + denying("not in this project")));
    mkdirSync(join(home.project, "src"));
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "pass" });
    expect(hub.parts.gates.list()).toEqual([]);
    home.consent("guard");
    const denied = { verdict: "deny", reason: "not in this project", by: "proj/guard" };
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject(denied);
    expect(await decideIn(hub, join(home.project, "src"))).toMatchObject(denied);
    for (const cwd of [join(home.home, "other"), `${home.project}2`, "/"])
      expect(await decideIn(hub, cwd)).toMatchObject({ verdict: "pass" });
    expect(existsSync(join(home.home, marker))).toBe(true);
    const overLine = expect.stringContaining("not in this project");
    expect(await decideOverLine(home.state, join(home.project, "src"))).toMatchObject({ verdict: "deny", reason: overLine });
    expect(await decideOverLine(home.state, join(home.home, "other"))).toMatchObject({ verdict: "pass" });
    // It only says that there was no consent.
    expect(home.problems.filter((text) => !text.includes("do not all run"))).toEqual([]);
  });

  it("never run without consent, and one that is agreed to brings no other with it", async () => {
    const home = projectHome({});
    const mark = (name: string) =>
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(join(home.home, name))}, "");\n`;
    home.write({
      ...projectGuard("agreed"),
      ...projectGuard("evil", mark("evil") + denying("evil")),
      [TOML]: rule("evil", 'do = "block"'),
    });
    home.consent("agreed");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "agreed says no", by: "proj/agreed" });
    expect(hub.parts.bus.list().map(({ name }) => name)).toEqual(["proj/agreed"]);
    expect(existsSync(join(home.home, "evil"))).toBe(false);
  });

  it("cannot allow anything", async () => {
    const home = projectHome(projectGuard("yes", 'export const handle = () => ({ decision: "allow", reason: "go on" });\n'));
    home.consent("yes");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "pass" });
    expect(hub.parts.bus.stats()).toMatchObject([{ calls: 1, failures: 0 }]);
  });

  it("deny once they are changed, run as they are once agreed to again, go on when they are gone, and end when revoked", async () => {
    const home = projectHome({
      ...projectGuard("guard"),
      ...projectGuard("watch", denying("w"), "permissions: [tools.intercept]\nonFailure: open\n"),
    });
    home.consent("guard");
    home.consent("watch");
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ reason: "guard says no" });
    home.write(projectGuard("guard", denying("second")));
    await expect.poll(() => causeOf(hub, home.project), soon).toEqual(["untrusted", "HL_UNTRUSTED"]);
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", by: "proj/guard" });
    expect((await decideIn(hub, home.project)).reason).toContain("hookline hooks trust guard");
    expect(await decideIn(hub, join(home.home, "other"))).toMatchObject({ verdict: "pass" });
    home.consent("guard");
    await expect.poll(() => decideIn(hub, home.project), soon).toMatchObject({ reason: "second" });
    rmSync(join(home.project, ".hookline"), { recursive: true });
    await expect
      .poll(
        () =>
          home.trust
            .look(home.project)
            .map(({ reason }) => reason)
            .join(),
        soon,
      )
      .toContain("it was removed from the project");
    await hub.close();
    const next = await home.start();
    expect(await decideIn(next, home.project)).toMatchObject({ verdict: "deny", reason: "second" });
    home.revoke("guard");
    await expect.poll(() => decideIn(next, home.project), soon).toMatchObject({ reason: "w" });
    home.revoke("watch");
    await expect.poll(() => decideIn(next, home.project), soon).toMatchObject({ verdict: "pass" });
  });

  it("that are open let pass once they are changed", async () => {
    const home = projectHome(projectGuard("soft", denying("soft"), "permissions: [tools.intercept]\nonFailure: open\n"));
    home.consent("soft");
    home.write(projectGuard("soft", denying("changed")));
    const hub = await home.start();
    expect(home.problems.join()).toContain("it was changed since consent");
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "pass" });
  });

  it("deny when something else stands in their place, also for a hub that starts then", async () => {
    const home = projectHome(projectGuard("guard"));
    home.consent("guard");
    const folder = join(home.project, IN_HOOKS, "guard");
    rmSync(folder, { recursive: true });
    symlinkSync(home.home, folder);
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "deny", by: "proj/guard" });
    expect(await causeOf(hub, home.project)).toEqual(["untrusted", "HL_UNTRUSTED"]);
  });

  it("of one name in two projects that are both wrong keep both closed, and the hub starts", async () => {
    const wrong = projectGuard("guard", denying("x"), "permissions: [tools.intercept]\ntimeout: soon\n");
    const home = projectHome(wrong);
    const other = join(home.home, "other");
    home.consent("guard");
    home.trust.request({ name: "guard", kind: "folder", project: other, path: join(home.project, IN_HOOKS, "guard") }).accept();
    const hub = await home.start();
    expect(hub.parts.bus.list().map(({ event }) => event)).toEqual(["tool:before", "tool:before"]);
    for (const cwd of [home.project, other])
      expect(await decideIn(hub, cwd)).toMatchObject({ verdict: "deny", reason: expect.stringContaining("is broken") });
    expect(await decideIn(hub, "/")).toMatchObject({ verdict: "pass" });
  });
});

describe("the rules of a project in the hub", () => {
  it("block in the project only, and can neither loosen nor bring hooks and sinks", async () => {
    const text = [
      rule("no-push", 'match = "tool.input.command =~ \'git push\'"\ndo = "block"\nmessage = "not from this project"'),
      rule("yes", 'do = "allow"'),
      rule("rewrite", 'do = "modify"\n[rule.set]\n"tool.input.command" = "echo"'),
      '[[hook]]\nname = "h"\ncommand = "false"\nevent = "tool:before"\n[[sink]]\nname = "s"\ntype = "jsonl"\npath = "./stolen.jsonl"\n',
    ].join("");
    const home = projectHome({ [TOML]: text });
    home.consent("hookline.toml");
    const hub = await home.start();
    expect(await decideIn(hub, home.project, "git push")).toMatchObject({ verdict: "deny", reason: "not from this project" });
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "pass", payload: { tool: { input: { command: "ls" } } } });
    expect(await decideIn(hub, join(home.home, "other"), "git push")).toMatchObject({ verdict: "pass" });
    expect(hub.parts.bus.list().map(({ name }) => name)).toEqual(["no-push"]);
    expect(hub.parts.sinks.list()).toEqual([]);
    const said = home.problems.join("\n");
    for (const part of ['the rule "yes" is left out', 'the rule "rewrite" is left out', "only the rules in this file are used"])
      expect(said).toContain(part);
    // What was agreed to stays in force, whatever becomes of the file.
    home.write({ [TOML]: "" });
    await expect.poll(() => home.problems.join(), soon).toContain("it was changed since consent");
    expect(await decideIn(hub, home.project, "git push")).toMatchObject({ verdict: "deny", reason: "not from this project" });
    home.revoke("hookline.toml");
    await expect.poll(() => decideIn(hub, home.project, "git push"), soon).toMatchObject({ verdict: "pass" });
  });

  it("change nothing of a rule of the user's with the same name", async () => {
    const own = rule("no-rm", 'match = "tool.input.command contains rm"\ndo = "block"\nmessage = "mine"');
    const home = projectHome(
      { [TOML]: rule("no-rm", 'enabled = false\ndo = "block"') + rule("other", 'do = "inject"\nmessage = "hint"') },
      own,
    );
    home.consent("hookline.toml");
    const hub = await home.start();
    for (const cwd of [home.project, "/"]) expect(await decideIn(hub, cwd, "rm x")).toMatchObject({ verdict: "deny", reason: "mine" });
    home.write({ [TOML]: rule("no-rm", 'match = "tool.input.command contains ls"\ndo = "block"\nmessage = "theirs"') });
    home.consent("hookline.toml");
    await expect.poll(() => decideIn(hub, home.project, "ls"), soon).toMatchObject({ reason: "theirs" });
    expect(await decideIn(hub, home.project, "rm x")).toMatchObject({ verdict: "deny", reason: "mine" });
    expect(await decideIn(hub, "/", "rm x")).toMatchObject({ verdict: "deny", reason: "mine" });
  });
});
