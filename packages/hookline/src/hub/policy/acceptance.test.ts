import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hub, type HubOptions, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, putFiles } from "../../../../../test/support/hook-files.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { createTrust } from "../../extensions/trust/trust.js";
import type { AlarmsAnswer, PolicyAnswer } from "../protocol.js";

type Files = { readonly [path: string]: string };
const soon = { timeout: 60_000 };

/** A user's folders, on which hubs are started one after the other. */
function openHome(files: Files = {}) {
  const home = testFolder();
  const config = join(home, "config");
  const state = join(home, "state");
  mkdirSync(state, { mode: 0o700 });
  const write = (more: Files) => void putFiles(config, more);
  write({ "hookline.toml": "", ...files });
  /** `by itself`: in the mode that its files say. */
  async function start(mode: NonNullable<HubOptions["mode"]> | "by itself" = "plain") {
    const own = { state, runtime: state, port: 0, config: join(config, "hookline.toml"), onProblem: () => {} };
    const options = mode === "by itself" ? own : { ...own, mode };
    const hub = await startHub(options);
    onTestFinished(() => hub.close());
    return { hub, ...operator(hub, state) };
  }
  return { config, state, write, start };
}

function operator(hub: Hub, state: string) {
  async function ask<T>(path: string, body?: object): Promise<T> {
    const { token } = JSON.parse(readFileSync(join(state, "operator.json"), "utf8")) as { readonly token: string };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(hub.file.url + path, { headers, ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  const changes = async () => (await ask<PolicyAnswer>("/api/policy")).changes;
  return {
    ask,
    changes,
    waiting: async () => (await changes()).map(({ id, change }) => `${change} ${id}`),
    accept: async (...ids: string[]) => {
      const wanted = (await changes()).filter(({ id }) => ids.length === 0 || ids.includes(id)).map(({ id, digest }) => ({ id, digest }));
      return ask("/api/policy/accept", { changes: wanted });
    },
    alarms: async () => (await ask<AlarmsAnswer>("/api/alarms")).alarms.map(({ kind, text }) => `${kind}: ${text}`),
    decide: async (command = "ls") => {
      const { verdict, reason } = await hub.parts.bus.decide("tool:before", call(command));
      return reason === undefined ? verdict : `${verdict} ${reason}`;
    },
  };
}

function protectSettings(): object {
  const key = { salt: "s".repeat(22), publicKey: "k".repeat(43) };
  return { version: 1, since: new Date().toISOString(), passkeys: [], passphrase: key, recovery: key };
}

const rule = (name: string, action: string, more = "") =>
  `[[rule]]\nname = "${name}"\ntool = "Bash"\ndo = "${action}"\nmessage = "${name}"\n${more}`;
const handler = (reason: string) => `export const handle = () => ({ block: "${reason}" });\n`;
const folder = (name: string, reason: string, more = "onFailure: closed\n"): Files => ({
  [`hooks/${name}/HOOK.yaml`]: `name: ${name}\nevents: [tool:before]\n${more}`,
  [`hooks/${name}/handler.mjs`]: handler(reason),
});

describe("sets of paths", () => {
  const guard = `[[rule]]\nname = "keys"\ncommand = { reads = "@secrets" }\ndo = "block"\nmessage = "keys"\n`;
  const paths = (...list: string[]) => `${guard}[paths]\nsecrets = ${JSON.stringify(list)}\n`;

  it("are part of the rules that name them: more paths are in force at once, fewer wait", async () => {
    const home = openHome({ "hookline.toml": guard });
    const { decide, waiting, accept, changes } = await home.start("protect");
    expect([await decide("cat .env"), await decide("cat vault/a")]).toEqual(["deny keys", "pass"]);
    home.write({ "hookline.toml": paths("vault/**") });
    expect([await waiting(), await decide("cat vault/a")]).toEqual([[], "deny keys"]);
    home.write({ "hookline.toml": paths("vault/**", "!.env") });
    expect([await waiting(), await decide("cat .env")]).toEqual([["changed rule:keys"], "deny keys"]);
    expect((await changes())[0]?.diff).toContain('+      "!.env"');
    await accept();
    expect([await decide("cat .env"), await decide("cat vault/a")]).toEqual(["pass", "deny keys"]);
  });
});

describe("in every mode", () => {
  it.each(["plain", "protect", "managed"] as const)("%s: code waits, and a rule that blocks or asks does not", async (mode) => {
    const home = openHome(folder("old", "one"));
    const { hub, decide, waiting, accept, ask, changes } = await home.start(mode);
    expect(await decide()).toBe("deny one");
    expect(await waiting()).toEqual([]);

    // What an agent's Write tool puts into the hooks folder does not run, and neither does a changed handler.
    const marker = join(home.state, "ran");
    home.write({
      "hooks/planted/HOOK.yaml": "name: planted\nevents: [tool:before]\nonFailure: closed\npriority: 9\n",
      "hooks/planted/handler.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(marker)}, "");\n${handler("planted")}`,
      "hooks/old/handler.mjs": handler("two"),
    });
    expect(await waiting()).toEqual(["changed hook:hooks/old", "new hook:hooks/planted"]);
    expect(await decide()).toBe("deny one");
    expect(existsSync(marker)).toBe(false);
    const shown = (await changes()).map(({ diff }) => diff);
    expect(shown[0]).toMatch(/^-.*one.*\n\+.*two/m);
    expect(shown[1]).toContain("writeFileSync");
    const states = async () =>
      (await ask<{ hooks: { name: string; state: string }[] }>("/api/handlers")).hooks.map((hook) => `${hook.name} ${hook.state}`);
    expect(await states()).toEqual(["old waiting", "planted waiting"]);
    expect(hub.parts.faults()).toMatchObject([
      { name: "old", state: "waiting", run: "hookline policy accept old" },
      { name: "planted", state: "waiting" },
    ]);

    expect(await hub.parts.selftest(new AbortController().signal)).toMatchObject({
      ok: false,
      guards: expect.arrayContaining([
        { name: "planted", kind: "hook", state: "waiting", hint: "hookline policy accept planted", canaries: [] },
      ]),
    });

    // Only the version that was shown is accepted.
    const [{ id, digest } = { id: "", digest: "" }] = await changes();
    home.write({ "hooks/old/handler.mjs": handler("three") });
    await expect(ask("/api/policy/accept", { changes: [{ id, digest }] })).rejects.toThrow("409");
    await accept("hook:hooks/old");
    expect(await decide()).toBe("deny three");
    expect(existsSync(marker)).toBe(false);
    await accept();
    expect(await decide()).toBe("deny planted");
    expect(await states()).toEqual(["old active", "planted active"]);

    home.write({ "hookline.toml": rule("no", "block", "priority = 99\n") });
    await expect.poll(() => decide(), soon).toBe("deny no");
    expect(await waiting()).toEqual([]);
  });

  it("a command's script, a module's import and an extension's program are code too", async () => {
    const hooks = ['name = "cmd"\ncommand = "./cmd.sh"', 'name = "mod"\nmodule = "./mod.mjs"', 'name = "ext"\nextension = "./ext"'];
    const [command, module, extension] = hooks;
    const event = 'event = "tool:before"\nmatch = "tool.input.command == \'x\'"\n';
    const home = openHome({
      "hookline.toml": `[[hook]]\n${command}\n${event}[[hook]]\n${module}\n${event}[[hook]]\n${extension}\n`,
      "cmd.sh": "#!/bin/sh\nexit 0\n",
      "mod.mjs": 'import { word } from "./lib/word.mjs";\nexport const handle = () => ({ block: word });\n',
      "lib/word.mjs": 'export const word = "accepted";\n',
      "ext/HOOK.yaml": "events: [tool:before]\nonFailure: closed\nmatch: tool.input.command == 'y'\n",
      "ext/handler.mjs": handler("accepted"),
    });
    const { chmodSync } = await import("node:fs");
    chmodSync(join(home.config, "cmd.sh"), 0o700);
    const { decide, waiting, accept } = await home.start();
    expect([await decide("x"), await decide("y")]).toEqual(["deny accepted", "deny accepted"]);
    home.write({
      "cmd.sh": "#!/bin/sh\necho changed >&2\nexit 2\n",
      "lib/word.mjs": 'export const word = "changed";\n',
      "ext/handler.mjs": handler("changed"),
    });
    expect(await waiting()).toEqual(["changed hook:cmd", "changed hook:mod", "changed hook:ext"]);
    expect([await decide("x"), await decide("y")]).toEqual(["deny accepted", "deny accepted"]);
    await accept();
    expect(await decide("x")).toContain("changed");
    expect(await decide("y")).toBe("deny changed");
  });

  it("autoAccept accepts at once, except in managed mode", async () => {
    const home = openHome({ "hookline.toml": '[policy]\nautoAccept = "all"\n' });
    for (const [mode, found] of [
      ["plain", "deny a"],
      ["protect", "deny b"],
      ["managed", "deny b"],
    ] as const) {
      const { hub, decide } = await home.start(mode);
      const name = mode === "plain" ? "a" : "b";
      home.write(
        mode === "managed"
          ? folder("c", "c", "onFailure: closed\npriority: 10\n")
          : folder(name, name, `onFailure: closed\npriority: ${name === "b" ? 5 : 1}\n`),
      );
      await hub.parts.policy.list();
      expect([mode, await decide()]).toEqual([mode, found]);
      await hub.close();
    }
  });
});

it("a rule that waits for less is in force at once; one that waits for more waits for acceptance", async () => {
  const home = openHome({ "hookline.toml": rule("many", "block", "count = 50\nwithin = 60000\n") });
  const { waiting, decide, accept } = await home.start("protect");
  expect(await decide()).toBe("pass");
  home.write({ "hookline.toml": rule("many", "block", "count = 2\nwithin = 120000\n") });
  let calls = 0;
  await expect.poll(() => decide(`ls ${calls++}`), soon).toContain("deny many It matched 2 times in 2m per session.");
  expect(await waiting()).toEqual([]);
  home.write({ "hookline.toml": rule("many", "block", "count = 2\nwithin = 60000\n") });
  expect(await waiting()).toEqual(["changed rule:many"]);
  await accept();
  expect(await waiting()).toEqual([]);
});

describe("a change that loosens", () => {
  const before = `${rule("no", "block")}${rule("soft", "ask", "match = \"tool.input.command == 'x'\"\n")}`;
  const after = `${rule("no", "block", "enabled = false\n")}${rule("yes", "allow")}`;

  it("is in force at once in plain mode, and is a notice that says what, not an alarm", async () => {
    const home = openHome({ "hookline.toml": before });
    const { decide, waiting, alarms, ask } = await home.start();
    expect(await decide()).toBe("deny no");
    home.write({ "hookline.toml": after });
    await expect.poll(() => decide(), soon).toContain("allow");
    expect(await waiting()).toEqual([]);
    await expect.poll(alarms, soon).toHaveLength(1);
    expect((await alarms())[0]).toBe(
      'changed: The policy changed in 3 places: the rule "no" was changed (enabled). the rule "yes" is new. the rule "soft" was removed.',
    );
    expect(await ask("/api/status")).toMatchObject({ alarms: { waiting: 0 } });
  });

  it("of many rules is one alarm, which names the first of them and counts the others", async () => {
    const home = openHome({ "hookline.toml": Array.from({ length: 30 }, (_, at) => rule(`r${at}`, "block")).join("") });
    const { alarms } = await home.start();
    home.write({ "hookline.toml": "" });
    await expect.poll(alarms, soon).toHaveLength(1);
    expect((await alarms())[0]).toMatch(/in 30 places: the rule "r0" was removed\. .*the rule "r7" was removed\. And 22 more\.$/);
    home.write({ "hookline.toml": rule("late", "allow") });
    await expect.poll(alarms, soon).toHaveLength(2);
    expect((await alarms()).filter((text) => text.endsWith('The policy changed: the rule "late" is new.'))).toHaveLength(1);
  });

  it("again and again does not put its alarm off", async () => {
    const home = openHome({ "hookline.toml": rule("no", "block") });
    const { alarms } = await home.start();
    for (let at = 0; (await alarms()).length === 0 && at < 200; at++) {
      home.write({ "hookline.toml": rule("no", "block", `match = "tool.input.command == 'x${at}'"\n`) });
      await sleep(100);
    }
    expect((await alarms()).join("\n")).toContain('the rule "no" was changed (match)');
  });

  it("raises no alarm when the operator made it with the dashboard", async () => {
    const home = openHome({ "hookline.toml": before });
    const { hub, decide, alarms } = await home.start();
    await hub.parts.handlers.turn({ owner: "rules", name: "no" }, false);
    expect(await decide()).toBe("pass");
    home.write({ "hookline.toml": rule("no", "block", "enabled = false\n") });
    await expect.poll(alarms, soon).toEqual([expect.stringContaining('"soft"')]);
  });

  it.each(["protect", "managed"] as const)("waits in %s mode, over a restart too, while the accepted version decides", async (mode) => {
    const home = openHome({ "hookline.toml": before, ...folder("guard", "hook") });
    const first = await home.start(mode);
    home.write({
      "hookline.toml": after,
      "hooks/guard/HOOK.yaml": "name: guard\nevents: [tool:before]\nonFailure: open\nenabled: false\n",
    });
    const expected = ["changed rule:no", "new rule:yes", "removed rule:soft", "changed hook:hooks/guard"];
    expect(await first.waiting()).toEqual(expected);
    expect([await first.decide(), await first.alarms()]).toEqual(["deny no", []]);
    await first.hub.close();
    const second = await home.start(mode);
    expect(await second.waiting()).toEqual(expected);
    expect(await second.decide()).toBe("deny no");
    await second.accept("rule:no", "rule:yes");
    expect(await second.decide()).toBe("deny hook");
    rmSync(join(home.config, "hooks"), { recursive: true });
    expect(await second.waiting()).toEqual(["removed rule:soft", "removed hook:hooks/guard"]);
    expect(await second.decide()).toBe("deny hook");
    await second.accept();
    expect(await second.decide()).toContain("allow");
  });

  it.each(["plain", "protect"] as const)(
    "%s: so does a consent to a project's hook that another program wrote or removed",
    async (mode) => {
      const home = openHome();
      const project = putFiles(join(home.config, "..", "project"), {
        ".hookline/hooks/guard/HOOK.yaml": "events: [tool:before]\nonFailure: closed\npermissions: [tools.intercept]\n",
        ".hookline/hooks/guard/handler.mjs": handler("project"),
      });
      const { hub, waiting, accept, alarms } = await home.start(mode);
      const decide = async () =>
        (await hub.parts.gates.decide({ event: "tool:before", payload: call("ls"), cwd: project }, new AbortController().signal)).reason;
      const trust = createTrust(home.state);
      const [row] = trust.look(project);
      if (row === undefined) throw new Error("no hook");
      trust.request(row.hook).accept();
      const id = `hook:${row.hook.project}#guard`;
      expect(await waiting()).toEqual(mode === "plain" ? [] : [`new ${id}`]);
      expect(await decide()).toBe(mode === "plain" ? "project" : undefined);
      await accept();
      expect(await decide()).toBe("project");
      trust.revoke(row.hook);
      expect(await waiting()).toEqual(mode === "plain" ? [] : [`removed ${id}`]);
      expect(await decide()).toBe(mode === "plain" ? undefined : "project");
      if (mode === "plain") await expect.poll(alarms, soon).toEqual([expect.stringContaining("consent")]);
    },
  );

  it("so does who may reach and approve: the hub starts with the accepted values", async () => {
    const home = openHome({ "hookline.toml": '[hub]\naskTimeout = "2m"\n' });
    const first = await home.start("protect");
    home.write({ "hookline.toml": '[hub]\nhost = "127.0.0.2"\nremoteApprovals = true\naskTimeout = "1s"\n' });
    const wanted = ["changed setting:hub.askTimeout", "new setting:hub.host", "new setting:hub.remoteApprovals"];
    await expect.poll(first.waiting, soon).toEqual(wanted);
    await first.hub.close();
    const second = await home.start("protect");
    expect([new URL(second.hub.file.url).hostname, second.hub.parts.remoteApprovals]).toEqual(["127.0.0.1", false]);
    expect(await second.waiting()).toEqual(wanted);
    await second.accept();
    await second.hub.close();
    const third = await home.start("protect");
    expect([new URL(third.hub.file.url).hostname, third.hub.parts.remoteApprovals]).toEqual(["127.0.0.2", true]);
    expect(await third.waiting()).toEqual([]);
  });

  const FLEET = '[hub]\npublicUrl = "https://fleet.example.com"\n[fleet]\npersonHeader = "x-user"\nproxy = "192.0.2.1"\n';
  const fleetSettings = ["hub.publicUrl", "fleet.personHeader", "fleet.proxy"];

  it("so do the address of the fleet's dashboard and the proxy that names its people", async () => {
    const home = openHome();
    const first = await home.start("protect");
    home.write({ "hookline.toml": FLEET });
    const wanted = fleetSettings.map((name) => `new setting:${name}`);
    await expect.poll(first.waiting, soon).toEqual(wanted);
    await first.hub.close();
    const second = await home.start("protect");
    expect(second.hub.parts.people.hasPlace("https://fleet.example.com")).toBe(false);
    expect(await second.waiting()).toEqual(wanted);
    await second.accept();
    await second.hub.close();
    const third = await home.start("protect");
    expect(third.hub.parts.people.hasPlace("https://fleet.example.com")).toBe(true);
    home.write({ "hookline.toml": FLEET.replace("192.0.2.1", "192.0.2.2") });
    await expect.poll(third.waiting, soon).toEqual(["changed setting:fleet.proxy"]);
  });

  it("in plain mode they count when the hub starts again, and each is in the alarm", async () => {
    const home = openHome();
    const { waiting, alarms } = await home.start();
    home.write({ "hookline.toml": FLEET });
    await expect.poll(async () => (await alarms()).join(), soon).toContain("hub.publicUrl");
    expect(await waiting()).toEqual([]);
  });

  it("autoAccept is one of them", async () => {
    const home = openHome();
    const { waiting } = await home.start("protect");
    home.write({ "hookline.toml": '[policy]\nautoAccept = "all"\n', ...folder("g", "g") });
    await expect.poll(waiting, soon).toEqual(["new setting:policy.autoAccept", "new hook:hooks/g"]);
  });
});

describe("switching", () => {
  const off = "name: g\nevents: [tool:before]\nonFailure: closed\nenabled: false\n";

  it("puts nothing into force but what was accepted before, switched: other changes keep waiting", async () => {
    const home = openHome({
      "hookline.toml": rule("soft", "allow", "match = \"tool.input.command == 'x'\"\nenabled = false\n"),
      ...folder("g", "hook"),
    });
    const { hub, decide, waiting } = await home.start("protect");
    const turn = (owner: string, isEnabled: boolean, name?: string) =>
      hub.parts.handlers.turn({ owner, ...(name !== undefined && { name }) }, isEnabled);
    await turn("hooks/g", false);
    expect([await decide(), await waiting()]).toEqual(["pass", []]);

    // What an agent writes while it is off is not what comes back.
    home.write({ "hooks/g/HOOK.yaml": off.replace("closed", "open").replace("enabled", "match: tool.name == 'Never'\nenabled") });
    await expect(turn("hooks/g", true)).rejects.toMatchObject({
      code: "HL_NOT_SHOWN",
      message: expect.stringContaining('"g" was changed'),
    });
    expect([await decide(), await waiting()]).toEqual(["pass", ["changed hook:hooks/g"]]);
    home.write({ "hooks/g/HOOK.yaml": off });
    await turn("hooks/g", true);
    expect([await decide(), await waiting()]).toEqual(["deny hook", []]);

    home.write({ "hookline.toml": rule("soft", "allow", "enabled = false\npriority = 99\n") });
    await expect(turn("rules", true, "soft")).rejects.toMatchObject({ code: "HL_NOT_SHOWN" });
    expect([await decide(), await waiting()]).toEqual(["deny hook", ["changed rule:soft"]]);
  });
});

describe("the record of what was accepted", () => {
  it.each([
    ["deleted", (path: string) => rmSync(path)],
    ["not JSON", (path: string) => writeFileSync(path, "{")],
    ["of another kind", (path: string) => writeFileSync(path, '{"rules":{}}')],
  ])("%s: only rules that tighten are in force, closed hooks deny, and the operator accepts again", async (_, damage) => {
    const home = openHome({
      "hookline.toml": `${rule("yes", "allow")}${rule("no", "block", "match = \"tool.input.command == 'x'\"\n")}`,
      ...folder("guard", "hook"),
    });
    await (await home.start()).hub.close();
    for (const name of ["policy.json", "policy.json.bak"]) damage(join(home.state, name));
    const { decide, waiting, alarms, accept } = await home.start();
    expect(await waiting()).toEqual(["new rule:yes", "new hook:hooks/guard"]);
    expect(await decide()).toContain('The hook "guard"');
    expect((await alarms()).join("\n")).toMatch(/tampered: The record of the accepted policy.*hookline policy accept --all/);
    await accept();
    expect(await decide()).toBe("deny hook");
    expect(await waiting()).toEqual([]);
  });

  it("uses its backup when only the record itself is damaged", async () => {
    const home = openHome(folder("guard", "hook"));
    await (await home.start()).hub.close();
    writeFileSync(join(home.state, "policy.json"), "{");
    const { decide, waiting, alarms } = await home.start("protect");
    expect([await decide(), await waiting()]).toEqual(["deny hook", []]);
    expect((await alarms()).join("\n")).toContain("its backup is used");
  });

  it.each(["protect", "managed"] as const)(
    "lost in %s mode denies every tool call, over restarts too, until a person accepts",
    async (mode) => {
      const home = openHome({ "hookline.toml": rule("no", "block") });
      await (await home.start(mode)).hub.close();
      home.write({ "hookline.toml": "" });
      for (const name of ["policy.json", "policy.json.bak"]) rmSync(join(home.state, name));
      const first = await home.start(mode);
      expect(await first.decide()).toMatch(/^deny .*is gone.*hookline policy accept --all/);
      home.write({ "hookline.toml": rule("other", "block", "match = \"tool.input.command == 'x'\"\n") });
      await expect.poll(async () => first.hub.parts.bus.list().map(({ name }) => name), soon).toContain("other");
      await first.hub.close();
      const { decide, waiting, accept, hub } = await home.start(mode);
      expect([await decide(), await waiting()]).toEqual([expect.stringContaining("is gone"), ["changed setting:record"]]);
      await accept();
      expect([await decide(), await waiting()]).toEqual(["pass", []]);
      await hub.close();
      expect(await (await home.start(mode)).decide()).toBe("pass");
    },
  );

  it.each(["protect", "managed"] as const)(
    "lost in %s mode together with the note of it is lost all the same: the store knows",
    async (mode) => {
      const home = openHome({ "hookline.toml": rule("no", "block") });
      await (await home.start(mode)).hub.close();
      home.write({ "hookline.toml": "" });
      for (const name of ["policy.json", "policy.json.bak", "policy.sha256"]) rmSync(join(home.state, name));
      const { decide, waiting, accept } = await home.start(mode);
      expect([await decide(), await waiting()]).toEqual([expect.stringContaining("is gone"), ["changed setting:record"]]);
      await accept();
      expect(await decide()).toBe("pass");
    },
  );

  it("lost with its note and the store is lost all the same while hookline protect is on", async () => {
    const home = openHome({ "hookline.toml": rule("no", "block") });
    await (await home.start()).hub.close();
    for (const name of readdirSync(home.state)) rmSync(join(home.state, name), { recursive: true });
    writeFileSync(join(home.state, "protect.json"), JSON.stringify(protectSettings()), { mode: 0o600 });
    home.write({ "hookline.toml": "" });
    const { decide, waiting } = await home.start("by itself");
    expect([await decide(), await waiting()]).toEqual([expect.stringContaining("is gone"), ["changed setting:record"]]);
  });

  it("that another wrote beside a new store is not believed while hookline protect is on", async () => {
    const home = openHome({ "hookline.toml": rule("no", "block") });
    await (await home.start()).hub.close();
    const record = JSON.parse(readFileSync(join(home.state, "policy.json"), "utf8"));
    for (const name of readdirSync(home.state)) rmSync(join(home.state, name), { recursive: true });
    writeFileSync(join(home.state, "protect.json"), JSON.stringify(protectSettings()), { mode: 0o600 });
    for (const name of ["policy.json", "policy.json.bak"])
      writeFileSync(join(home.state, name), JSON.stringify({ ...record, rules: [] }), { mode: 0o600 });
    home.write({ "hookline.toml": `[hub]\ndata = ${JSON.stringify(join(home.config, "data"))}\n` });
    const { decide, alarms } = await home.start("by itself");
    expect(await decide()).toContain("was not written by the hub");
    expect((await alarms()).join("\n")).toContain("was not written by the hub");
  });

  it("that never was is a new installation", async () => {
    const home = openHome({ "hookline.toml": rule("yes", "allow") });
    const { decide, waiting } = await home.start("managed");
    expect([await decide(), await waiting()]).toEqual([expect.stringContaining("allow"), []]);
  });

  it("that the hub did not write counts in plain mode only", async () => {
    const home = openHome();
    await (await home.start("protect")).hub.close();
    const path = join(home.state, "policy.json");
    const forged = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...forged, rules: [{ name: "yes", do: "allow", events: ["tool:before"], file: "x", line: 1 }] }));
    const { decide, alarms } = await home.start("protect");
    expect(await decide()).toContain("was not written by the hub");
    expect((await alarms()).join("\n")).toContain("was not written by the hub");
  });
});
