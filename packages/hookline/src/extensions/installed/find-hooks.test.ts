import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { denying, denyingProgram, extensionJson, hookYaml, putFiles } from "../../../../../test/support/hook-files.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { parseConfig } from "../../config/load-config.js";
import { createTrust } from "../trust/trust.js";
import { findHooks } from "./find-hooks.js";

type Files = { readonly [path: string]: string };

function homeWith(files: Files, toml = "") {
  const home = putFiles(testFolder(), files);
  const trust = createTrust(join(home, "state"));
  async function find(text = toml) {
    const { config, problems } = await parseConfig(text, join(home, "hookline.toml"));
    expect(problems).toEqual([]);
    return findHooks({ config: config?.hooks ?? [], folder: join(home, "hooks"), trust, projects: [] });
  }
  return { home, find };
}

const entry = (lines: string) => `[[hook]]\n${lines}\n`;
const states = (hooks: Awaited<ReturnType<typeof findHooks>>) => hooks.map(({ name, kind, state }) => `${name} ${kind} ${state}`);
const guard = (name: string) => ({ [`hooks/${name}/HOOK.yaml`]: hookYaml(name), [`hooks/${name}/handler.mjs`]: denying(name) });

describe("findHooks", () => {
  it("reads hooks of every kind, the file's first and then the folders by name, without starting, loading or asking any", async () => {
    const home = testFolder();
    const marks = join(home, "marks");
    mkdirSync(marks);
    const mark = (name: string) => join(marks, name);
    const script = (name: string) => `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark(name))}, "");\n`;
    let asked = 0;
    const server = createServer((_, response) => void response.end(String(asked++))).on("connection", () => asked++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    putFiles(home, {
      "module.mjs": `${script("module")}${denying("m")}`,
      "ext/extension.json": extensionJson("inner"),
      "ext/main.mjs": `${script("extension")}${denyingProgram("x")}`,
      "hooks/e-ts/HOOK.yaml": hookYaml("in-ts"),
      "hooks/e-ts/handler.ts": `${script("ts")}export const handle = (): string => "x";\n`,
      "hooks/a-js/HOOK.yaml": hookYaml("in-js"),
      "hooks/a-js/handler.js": `${script("js")}${denying("j")}`,
      "hooks/b-py/HOOK.yaml": hookYaml("in-py"),
      "hooks/b-py/handler.py": `open(${JSON.stringify(mark("py"))}, "w")\ndef handle(event, context): pass\n`,
      "hooks/c-sh/HOOK.yaml": hookYaml("in-sh"),
      "hooks/c-sh/handler.sh": `touch ${mark("sh")}\n`,
      "hooks/d-process/extension.json": extensionJson("in-process"),
      "hooks/d-process/main.mjs": `${script("process")}${denyingProgram("p")}`,
      "hooks/f-hermes/HOOK.yaml": 'name: hermes\ndescription: no permissions, as Hermes has it\nevents: ["agent:start", "command:*"]\n',
      "hooks/f-hermes/handler.py": `open(${JSON.stringify(mark("hermes"))}, "w")\nasync def handle(event_type, context): pass\n`,
      "hooks/.hidden/HOOK.yaml": hookYaml("hidden"),
      "hooks/notes.txt": "no folder",
    });
    const { port } = server.address() as AddressInfo;
    const toml = [
      entry(`name = "m"\nmodule = "./module.mjs"\nevent = "tool:before"`),
      entry(`name = "c"\ncommand = "touch"\nargs = [${JSON.stringify(mark("command"))}]\nevent = "tool:before"`),
      entry(`name = "u"\nurl = "http://127.0.0.1:${port}/"\nevent = "tool:before"`),
      entry(`name = "x"\nextension = "./ext"`),
    ].join("");
    const { config } = await parseConfig(toml, join(home, "hookline.toml"));
    const trust = createTrust(join(home, "state"));
    const hooks = await findHooks({ config: config?.hooks ?? [], folder: join(home, "hooks"), trust, projects: [] });
    expect(states(hooks)).toEqual([
      "m module active",
      "c command active",
      "u url active",
      "x process active",
      "in-js folder active",
      "in-py folder active",
      "in-sh folder active",
      "in-process process active",
      "in-ts folder active",
      "hermes folder active",
    ]);
    expect(hooks.flatMap(({ problems, broken }) => [...problems, ...broken])).toEqual([]);
    const byName = Object.fromEntries(hooks.map((hook) => [hook.name, hook]));
    expect(byName.hermes?.permissions).toEqual(["agent.lifecycle", "commands.intercept"]);
    expect(byName.hermes?.dialect).toBe("hermes");
    expect(byName["in-sh"]?.dialect).toBeUndefined();
    expect(byName["in-process"]?.permissions).toEqual(["tools.intercept"]);
    const sources = hooks.map((hook) => hook.open?.());
    expect(sources.map((source) => source?.health().state)).toEqual(hooks.map(() => "loaded"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([readdirSync(marks), asked]).toEqual([[], 0]);
    await Promise.all(sources.map((source) => source?.close()));
  });

  it("leaves out what is switched off, in the file or in the folder, and gives nothing that could run", async () => {
    const { find } = homeWith(
      {
        ...guard("on"),
        "hooks/off/HOOK.yaml": hookYaml("off", "enabled: false\n"),
        "hooks/off/handler.mjs": denying("x"),
        "hooks/off-too/extension.json": extensionJson("off-too", { enabled: false }),
        "ext/extension.json": extensionJson("ext"),
      },
      entry('name = "ext"\nextension = "./ext"\nenabled = false') +
        entry('name = "m"\nmodule = "./m.mjs"\nevent = "tool:before"\nenabled = false'),
    );
    const hooks = await find();
    const off = ["ext process disabled", "m module disabled", "off folder disabled", "off-too process disabled"];
    expect(states(hooks)).toEqual([...off, "on folder active"]);
    expect(hooks.map(({ open }) => open !== undefined)).toEqual([false, false, false, false, true]);
    expect(hooks.flatMap(({ problems, broken }) => [...problems, ...broken])).toEqual([]);
  });

  it.each<[what: string, files: Files, problem: string, closed: readonly string[]]>([
    ["has no manifest", { "handler.mjs": denying("x") }, "neither a HOOK.yaml nor an extension.json", []],
    ["has a manifest that is not YAML", { "HOOK.yaml": "events: [" }, "HOOK.yaml:1", ["tool:before"]],
    ["has a manifest that is not JSON", { "extension.json": "{" }, "extension.json:1", ["tool:before"]],
    ["has a wrong HOOK.yaml", { "HOOK.yaml": hookYaml("g", "timeout: soon\n"), "handler.mjs": "" }, "timeout", ["tool:before"]],
    ["has a wrong extension.json", { "extension.json": extensionJson("g", { protocol: 7 }) }, "protocol", ["tool:before"]],
    ["has no handler", { "HOOK.yaml": hookYaml("g") }, "has no handler", ["tool:before"]],
    ["lacks the permission", { "extension.json": extensionJson("g", { permissions: [] }) }, "tools.intercept", ["tool:before"]],
  ])(
    "rejects a folder that %s, and keeps closed what it guards, or tool calls if that is unreadable",
    async (_, files, problem, closed) => {
      const placed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`hooks/bad/${name}`, text]));
      const { find } = homeWith({ ...placed, ...guard("good") });
      const [bad, good] = await find();
      expect([bad?.state, good?.state]).toEqual(["broken", "active"]);
      expect(bad?.problems.join("\n")).toContain(problem);
      expect(bad?.broken.flatMap(({ events }) => events)).toEqual(closed);
      expect(bad?.open).toBeUndefined();
    },
  );

  it("registers the hooks of an extension that have their permission, and keeps closed the one that has not", async () => {
    const hooks = [{ event: "tool:progress" }, { event: "tool:before", tool: "Bash" }, { event: "tool:after" }];
    const { find } = homeWith({ "hooks/x/extension.json": extensionJson("x", { hooks, permissions: ["tools.observe"] }) });
    const [found] = await find();
    expect(found?.state).toBe("active");
    expect(found?.hooks.map(({ event }) => event)).toEqual(["tool:progress", "tool:after"]);
    expect(found?.open?.().hooks).toEqual(found?.hooks);
    expect(found?.problems.join("\n")).toContain("lacks permission 'tools.intercept'");
    expect(found?.broken).toMatchObject([{ name: "x", events: ["tool:before"], tool: "Bash" }]);
  });

  it("rejects a world-writable folder, accepts a link to a folder, and reports what cannot be read", async () => {
    const { home, find } = homeWith({ ...guard("open"), "elsewhere/HOOK.yaml": hookYaml("linked"), "elsewhere/handler.mjs": denying("l") });
    chmodSync(join(home, "hooks/open"), 0o777);
    symlinkSync(join(home, "elsewhere"), join(home, "hooks/to-it"));
    symlinkSync("loop", join(home, "hooks/loop"));
    const hooks = await find();
    expect(states(hooks)).toEqual(["loop folder broken", "open folder broken", "linked folder active"]);
    expect(hooks[1]?.problems.join()).toContain("chmod o-w");
    chmodSync(join(home, "hooks/open"), 0o755);
    const mended = await find();
    expect(mended[1]?.state).toBe("active");
    expect(mended[1]?.version).not.toBe(hooks[1]?.version);
  });

  it("does not take a folder of hooks that cannot be read for an empty one", async () => {
    const { home, find } = homeWith({});
    expect(await find()).toEqual([]);
    symlinkSync("hooks", join(home, "hooks"));
    await expect(find()).rejects.toMatchObject({ code: "HL_CONFIG" });
  });
});

describe("two hooks with one name", () => {
  const twins = {
    "hooks/a/HOOK.yaml": hookYaml("twin"),
    "hooks/a/handler.mjs": denying("a"),
    "hooks/b/HOOK.yaml": hookYaml("twin", "tool: Bash\n"),
    "hooks/b/handler.mjs": denying("b"),
  };
  const inFile = entry('name = "twin"\nmodule = "./m.mjs"\nevent = "tool:before"');

  it("are one, and one that is rejected with what it guards kept closed", async () => {
    const { home, find } = homeWith(twins);
    const [first, second] = await find();
    expect([first?.state, second?.state, second?.open]).toEqual(["active", "broken", undefined]);
    expect(second?.problems.join()).toContain(`already has the name "twin": ${join(home, "hooks/a")}`);
    expect(second?.broken).toMatchObject([{ events: ["tool:before"], tool: "Bash" }]);
    expect(first?.id).not.toBe(second?.id);
    const all = await find(inFile);
    expect(all.map(({ kind, state }) => `${kind} ${state}`)).toEqual(["module broken", "folder broken", "folder broken"]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
  });

  it("both stay if one of them is disabled", async () => {
    const { find } = homeWith({ "hooks/a/HOOK.yaml": hookYaml("twin"), "hooks/a/handler.mjs": denying("a") });
    const hooks = await find(`${inFile}enabled = false\n`);
    expect(states(hooks)).toEqual(["twin module disabled", "twin folder active"]);
    expect(new Set(hooks.map(({ id }) => id)).size).toBe(2);
    expect(hooks[1]?.id).toBe("hooks/a");
  });
});
