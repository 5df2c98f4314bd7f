import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, denying, denyingProgram, extensionJson, hookYaml } from "../../../../../test/support/hook-files.js";
import { openBoard, pidIn } from "../../../../../test/support/hooks-on-bus.js";
import { isRunning } from "../../../../../test/support/play-extension.js";

const module = (name: string, reason: string, more = "") => ({
  [`hooks/${name}/HOOK.yaml`]: hookYaml(name, more),
  [`hooks/${name}/handler.mjs`]: denying(reason),
});
const program = (name: string, reason: string, more: object = {}) => ({
  [`hooks/${name}/extension.json`]: extensionJson(name, more),
  [`hooks/${name}/main.mjs`]: denyingProgram(reason),
});
const python = (name: string, body: string) => ({
  [`hooks/${name}/HOOK.yaml`]: hookYaml(name),
  [`hooks/${name}/handler.py`]: `def handle(event, context):\n    return ${body}\n`,
});
const order = ({ bus }: ReturnType<typeof openBoard>) => bus.list().map(({ name }) => name);

describe("the board of hooks", () => {
  it("knows a hook by its folder, whatever its manifest calls it or has become", async () => {
    const named = (yaml: string) => ({ "hooks/01-guard/HOOK.yaml": yaml, "hooks/01-guard/handler.mjs": denying("guarded") });
    const board = openBoard(named(hookYaml("guard")));
    await board.adopt();
    expect(await board.reason()).toBe("guarded");
    board.write(named("name: guard\nevents: [tool:before\n"));
    await board.adopt();
    expect(await board.reason()).toBe("guarded");
    chmodSync(join(board.home, "hooks/01-guard"), 0o777);
    await board.adopt();
    expect(await board.reason()).toBe("guarded");
  });

  it("lets the old version answer an event that was under way when it was renamed", async () => {
    const board = openBoard({ ...module("b", "denied by b") });
    await board.adopt();
    let goOn = (): void => {};
    board.bus.on("tool:before", () => new Promise<undefined>((resolve) => (goOn = () => resolve(undefined))), {
      name: "slow",
      priority: 10,
    });
    const decision = board.bus.decide("tool:before", call() as never);
    rmSync(join(board.home, "hooks/b"), { recursive: true });
    board.write(module("b2", "denied by b2"));
    await board.adopt();
    goOn();
    expect(await decision).toMatchObject({ verdict: "deny" });
  });

  it("takes a new version that fails in the place of one that never worked", async () => {
    const bad = (why: string) => ({ "hooks/g/HOOK.yaml": hookYaml("g"), "hooks/g/handler.mjs": `throw new Error("${why}");` });
    const board = openBoard(bad("first"));
    await board.adopt();
    expect(await board.reason()).toContain("first");
    board.write(bad("second"));
    await board.adopt();
    expect(await board.reason()).toContain("second");
  });

  it("puts a new version in the place of the old one, and nothing else moves", async () => {
    const board = openBoard({ ...module("a", "a1", "tool: Read\n"), ...module("b", "b1"), ...module("c", "c1") });
    expect(await board.adopt()).toBe(true);
    expect(await board.adopt()).toBe(false);
    await board.bus.decide("tool:before", { tool: { name: "Read", callId: "1", input: {} } });
    expect(await board.reason()).toBe("b1");
    board.write(module("b", "b2"));
    expect(await board.adopt()).toBe(true);
    expect(await board.reason()).toBe("b2");
    expect(order(board)).toEqual(["a", "b", "c"]);
    // Those in front of it count on.
    expect(board.bus.stats().map(({ calls }) => calls)).toEqual([1, 1, 0]);
    board.write(module("0-first", "first"));
    await board.adopt();
    expect(order(board)).toEqual(["0-first", "a", "b", "c"]);
    expect(await board.reason()).toBe("first");
    expect(board.problems).toEqual([]);
  });

  it.each([
    ["a module that no longer parses", module("g", "old"), { "hooks/g/handler.mjs": "export const handle = (" }],
    ["a module that exports something else", module("g", "old"), { "hooks/g/handler.mjs": "export const other = 1;" }],
    ["a HOOK.yaml that is no longer valid", module("g", "old"), { "hooks/g/HOOK.yaml": "events: [" }],
    ["an extension.json that became wrong", program("g", "old"), { "hooks/g/extension.json": "{" }],
    [
      "one hook of it that became wrong",
      program("g", "old"),
      {
        "hooks/g/extension.json": extensionJson("g", {
          hooks: [{ event: "tool:after" }, { event: "tool:before", x: 1 }],
          permissions: ["tools.observe", "tools.intercept"],
        }),
      },
    ],
    ["a program that no longer starts", program("g", "old"), { "hooks/g/main.mjs": 'console.error("no library"); process.exit(3);' }],
    ["a command that is not there", program("g", "old"), { "hooks/g/extension.json": extensionJson("g", { command: "./nowhere" }) }],
    ["Python with a syntax error", python("g", '{"decision": "deny", "reason": "old"}'), { "hooks/g/handler.py": "def handle(:\n" }],
  ])("keeps the old version of %s, and loads the fixed one", async (_, good, bad) => {
    const board = openBoard(good);
    await board.adopt();
    expect(await board.reason()).toContain("old");
    board.write(bad);
    await board.adopt();
    expect(board.problems.join("\n")).toContain('The hook "g" stays as it was');
    expect(await board.reason()).toContain("old");
    const mended = Object.entries(good).map(([path, text]) => [path, text.replace("old", "mended")]);
    board.write(Object.fromEntries(mended));
    await board.adopt();
    expect(await board.reason()).toContain("mended");
  });

  it("ends the processes of hooks that are removed, switched off or replaced, and when it is closed", async () => {
    const board = openBoard({
      ...program("removed", "1", { hooks: [{ event: "tool:before", tool: "r" }] }),
      ...program("off", "2", { hooks: [{ event: "tool:before", tool: "o" }] }),
      ...program("stays", "3", { hooks: [{ event: "tool:before", tool: "s" }] }),
    });
    await board.adopt();
    const pidOf = async (tool: string) => pidIn(await board.reason({ tool: { name: tool, callId: "1", input: {} } }));
    const [removed, off, stays] = [await pidOf("r"), await pidOf("o"), await pidOf("s")];
    expect([removed, off, stays].every(isRunning)).toBe(true);
    rmSync(join(board.home, "hooks/removed"), { recursive: true });
    board.write({ "hooks/off/extension.json": extensionJson("off", { enabled: false }) });
    await board.adopt();
    await expect.poll(() => [removed, off].some(isRunning)).toBe(false);
    expect(order(board)).toEqual(["stays"]);
    expect(await pidOf("s")).toBe(stays);
    board.write({ "hooks/stays/main.mjs": denyingProgram("other") });
    await board.adopt();
    const next = await pidOf("s");
    expect(next).not.toBe(stays);
    await expect.poll(() => isRunning(stays)).toBe(false);
    await board.close();
    expect(isRunning(next)).toBe(false);
    expect(board.bus.count()).toBe(0);
  });

  it("leaves a process alone when another hook with its name is switched off", async () => {
    const board = openBoard(program("twin", "it"), '[[hook]]\nname = "twin"\ncommand = "true"\nevent = "tool:before"\nenabled = false\n');
    await board.adopt();
    const pid = pidIn(await board.reason());
    board.write(module("z", "z"));
    await board.adopt();
    expect(pidIn(await board.reason())).toBe(pid);
    board.write({ "hooks/twin/main.mjs": "process.exit(1)" });
    await board.adopt();
    expect(pidIn(await board.reason())).toBe(pid);
  });
});

describe("a guard that cannot be used", () => {
  it("denies from the start, and works when it is fixed", async () => {
    const board = openBoard(module("g", "works", "timeout: soon\n"));
    await board.adopt();
    expect(await board.reason()).toContain('The hook "g" is broken');
    board.write({ "hooks/g/HOOK.yaml": "events: [" });
    await board.adopt();
    expect(await board.reason()).toContain('The hook "g" is broken');
    board.write(module("g", "works"));
    await board.adopt();
    expect(await board.reason()).toBe("works");
  });

  it.each([
    [
      "its tool",
      {
        hooks: [
          { event: "tool:before", tool: "[" },
          { event: "tool:before", name: "b", tool: "" },
        ],
      },
    ],
    [
      "two of its hooks",
      {
        hooks: [
          { event: "tool:before", x: 1 },
          { event: "tool:before", y: 1 },
        ],
      },
    ],
    ["its event", { hooks: [{ event: "tool:*:x" }] }],
  ])("stands for all it could have meant when %s cannot be read, and others are not disturbed", async (_, more) => {
    const board = openBoard({ ...program("bad", "x", more), ...module("good", "good", "tool: Read\n") });
    await board.adopt();
    expect(order(board)).toContain("good");
    expect(await board.reason()).toContain("is broken");
    rmSync(join(board.home, "hooks/bad"), { recursive: true });
    await board.adopt();
    expect(order(board)).toEqual(["good"]);
  });

  it("works again after its folder was open to all users, also while it runs", async () => {
    const board = openBoard(module("g", "works"));
    chmodSync(join(board.home, "hooks/g"), 0o777);
    await board.adopt();
    expect(board.problems.join()).toContain("chmod o-w");
    chmodSync(join(board.home, "hooks/g"), 0o700);
    await board.adopt();
    expect(await board.reason()).toBe("works");
    chmodSync(join(board.home, "hooks/g"), 0o777);
    await board.adopt();
    expect(await board.reason()).toBe("works");
  });
});

describe("an event that is under way", () => {
  const slow = (name: string, more = "") => `
    import { setTimeout as sleep } from "node:timers/promises";
    import { existsSync, writeFileSync } from "node:fs";
    export async function handle() {
      writeFileSync(new URL("./asked", import.meta.url), "");
      while (!existsSync(new URL("./go", import.meta.url))) await sleep(20);
      ${more}
      return { decision: "deny", reason: "${name}" };
    }`;

  it("is answered by the version it was asked of, and by the new version of those that come after", async () => {
    const first = { "hooks/a/HOOK.yaml": hookYaml("a", "timeout: 0\n"), "hooks/a/handler.mjs": slow("a", "return undefined;") };
    const board = openBoard({ ...first, ...program("b", "old", { hooks: [{ event: "tool:before", onFailure: "open" }] }) });
    await board.adopt();
    const deciding = board.bus.decide("tool:before", call());
    await expect.poll(() => board.has("hooks/a/asked")).toBe(true);
    board.write({ "hooks/b/main.mjs": denyingProgram("new") });
    await board.adopt();
    board.write({ "hooks/a/go": "" });
    expect((await deciding).reason).toContain("new");
  });

  it("keeps the process that works on it until it has answered", async () => {
    const script = denyingProgram("old")
      .replace('if (method === "hook.handle")', 'if (method === "hook.handle") setTimeout(() => 0, 0), later(() =>')
      .replace('"old" });', '"old" }));');
    const later =
      'import { existsSync, writeFileSync } from "node:fs";\nconst later = (act) => { writeFileSync("asked", ""); const look = setInterval(() => existsSync("go") && (clearInterval(look), act()), 20); };\n';
    const board = openBoard({ ...program("g", ""), "hooks/g/main.mjs": later + script });
    board.write({
      "hooks/g/extension.json": extensionJson("g", { hooks: [{ event: "tool:before", onFailure: "open", timeoutMs: 60_000 }] }),
    });
    await board.adopt();
    const deciding = board.bus.decide("tool:before", call());
    await expect.poll(() => board.has("hooks/g/asked")).toBe(true);
    board.write({ "hooks/g/main.mjs": denyingProgram("new") });
    await board.adopt();
    expect(await board.reason()).toContain("new");
    board.write({ "hooks/g/go": "" });
    const { reason } = await deciding;
    expect(reason).toContain("old");
    await expect.poll(() => isRunning(pidIn(reason))).toBe(false);
  });
});
