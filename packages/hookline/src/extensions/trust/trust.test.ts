import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HookError } from "@hookline/core";
import { afterEach, describe, expect, it } from "vitest";
import { hashFolder } from "./hash-folder.js";
import { listProjectHooks, type ProjectHook } from "./project-hooks.js";
import { readFolder } from "./read-folder.js";
import { createTrust, requireTrust } from "./trust.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-trust-"));
  folders.push(folder);
  return folder;
}

function put(folder: string, files: { readonly [name: string]: string }): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function makePipe(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
}

/** The file goes on under another name; in its place stands a link. */
function linkOver(path: string, target: string): void {
  renameSync(path, `${path}.real`);
  symlinkSync(target, path);
}

const manifest = 'name: guard\nevents: ["tool:before"]\npermissions: [tools.intercept]\n';

function makeProject(more: { readonly [name: string]: string } = {}) {
  const project = put(makeFolder(), {
    ".hookline/hooks/guard/HOOK.yaml": manifest,
    ".hookline/hooks/guard/handler.js": "export const handle = () => {};",
    ...more,
  });
  const state = join(makeFolder(), "state");
  const trust = createTrust(state);
  const hookOf = (name: string, folder = project): ProjectHook => {
    const found = listProjectHooks(folder).find((hook) => hook.name === name);
    if (found === undefined) throw new Error(`no hook ${name}`);
    return found;
  };
  const states = (folder = project) => Object.fromEntries(trust.look(folder).map(({ hook, state: how }) => [hook.name, how]));
  return { project, state, trust, hookOf, states, path: (name: string) => join(project, ".hookline/hooks", name) };
}

describe("consent", () => {
  it("is for one hook as it is, and what runs is a copy", () => {
    const { trust, hookOf, states, path, state } = makeProject({ ".hookline/hooks/other/HOOK.yaml": "name: other\n" });
    expect(states()).toEqual({ guard: "untrusted", other: "untrusted" });
    const request = trust.request(hookOf("guard"));
    expect(states()).toEqual({ guard: "untrusted", other: "untrusted" });
    request.accept();
    expect(states()).toEqual({ guard: "trusted", other: "untrusted" });
    const copy = trust.open(hookOf("guard"));
    expect(copy).toBe(join(state, "trusted", request.hash));
    expect(readFileSync(join(copy, "handler.js"), "utf8")).toBe(readFileSync(path("guard/handler.js"), "utf8"));
    expect(() => trust.open(hookOf("other"))).toThrow(HookError);
  });

  it("is written for the owner alone, whatever the umask", () => {
    const { trust, hookOf, state } = makeProject({ ".hookline/hooks/guard/run.sh": "#!/bin/sh\n" });
    const before = process.umask(0);
    try {
      trust.request(hookOf("guard")).accept();
    } finally {
      process.umask(before);
    }
    const copy = trust.open(hookOf("guard"));
    const modes = [state, join(state, "trust.json"), join(state, "trusted"), copy, join(copy, "handler.js")].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o700, 0o700, 0o400]);
  });

  it("pins what was shown, not what is there when it is given", () => {
    const { trust, hookOf, states, path } = makeProject();
    const request = trust.request(hookOf("guard"));
    writeFileSync(path("guard/handler.js"), "evil");
    request.accept();
    expect(states()).toEqual({ guard: "modified" });
    expect(() => trust.open(hookOf("guard"))).toThrow("modified");
  });

  const edits: readonly (readonly [string, (path: string) => void])[] = [
    ["other content", (path) => writeFileSync(join(path, "handler.js"), "evil")],
    ["one more file", (path) => writeFileSync(join(path, "new.js"), "")],
    ["one file less", (path) => rmSync(join(path, "handler.js"))],
    ["another name", (path) => renameSync(join(path, "handler.js"), join(path, "handler.mjs"))],
    ["the right to be run", (path) => chmodSync(join(path, "handler.js"), 0o755)],
    ["an empty folder", (path) => mkdirSync(join(path, "empty"))],
    ["a link in place of a file", (path) => linkOver(join(path, "handler.js"), "HOOK.yaml")],
    ["a link that leads outside", (path) => symlinkSync("/etc/passwd", join(path, "link"))],
    ["a pipe", (path) => makePipe(join(path, "pipe"))],
  ];
  it.each(edits)("ends with %s, and neither the new nor the old runs", (_, edit) => {
    const { trust, hookOf, states, path } = makeProject();
    trust.request(hookOf("guard")).accept();
    expect(states()).toEqual({ guard: "trusted" });
    edit(path("guard"));
    expect(states()).toEqual({ guard: "modified" });
    expect(() => trust.open(hookOf("guard"))).toThrow(expect.objectContaining({ code: "HL_UNTRUSTED", failure: "untrusted" }));
  });

  it("does not end with other times, a neighbour, or another order of neighbours", () => {
    const { trust, hookOf, states, path, project } = makeProject();
    trust.request(hookOf("guard")).accept();
    utimesSync(path("guard/handler.js"), 1, 1);
    put(project, { ".hookline/hooks/aaa/HOOK.yaml": "", ".hookline/hooks/zzz/HOOK.yaml": "" });
    expect(states()).toEqual({ aaa: "untrusted", guard: "trusted", zzz: "untrusted" });
    writeFileSync(path("guard/handler.js"), readFileSync(path("guard/handler.js")));
    expect(states().guard).toBe("trusted");
  });

  it("does not move with the project, but is the same by any path to it", () => {
    const { trust, hookOf, states, project } = makeProject();
    trust.request(hookOf("guard")).accept();
    const link = join(makeFolder(), "link");
    symlinkSync(project, link);
    expect(states(link)).toEqual({ guard: "trusted" });
    const moved = join(makeFolder(), "moved");
    cpSync(project, moved, { recursive: true });
    expect(states(moved)).toEqual({ guard: "untrusted" });
  });

  it("can be taken back and given again", () => {
    const { trust, hookOf, states } = makeProject();
    expect(trust.revoke(hookOf("guard"))).toBe(false);
    trust.request(hookOf("guard")).accept();
    expect([trust.revoke(hookOf("guard")), trust.revoke(hookOf("guard"))]).toEqual([true, false]);
    expect(states()).toEqual({ guard: "revoked" });
    expect(() => trust.open(hookOf("guard"))).toThrow("revoked");
    trust.request(hookOf("guard")).accept();
    expect(states()).toEqual({ guard: "trusted" });
  });

  it("does not hold for a copy that was changed", () => {
    const { trust, hookOf, states } = makeProject();
    trust.request(hookOf("guard")).accept();
    const file = join(trust.open(hookOf("guard")), "handler.js");
    chmodSync(file, 0o600);
    writeFileSync(file, "evil");
    expect(states()).toEqual({ guard: "trusted" });
    expect(() => trust.open(hookOf("guard"))).toThrow(expect.objectContaining({ code: "HL_TRUST_STORE" }));
    trust.request(hookOf("guard")).accept();
    expect(readFileSync(join(trust.open(hookOf("guard")), "handler.js"), "utf8")).not.toBe("evil");
  });

  it.each([
    ["others could write", (path: string) => chmodSync(path, 0o666)],
    ["is broken", (path: string) => writeFileSync(path, "{")],
    ["is no record", (path: string) => writeFileSync(path, '{"consents":[{}],"reviewed":{}}')],
    ["is a link", (path: string) => linkOver(path, `${path}.real`)],
  ])("is not read from a file that %s", (_, spoil) => {
    const { trust, hookOf, state, project } = makeProject();
    trust.request(hookOf("guard")).accept();
    spoil(join(state, "trust.json"));
    expect(() => trust.look(project)).toThrow(expect.objectContaining({ code: "HL_TRUST_STORE" }));
  });

  it("of two processes at once is not lost", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `h${index}`);
    const { project, state, states } = makeProject(Object.fromEntries(names.map((name) => [`.hookline/hooks/${name}/HOOK.yaml`, name])));
    const module = fileURLToPath(new URL("../../../dist/extensions/trust/trust.js", import.meta.url));
    const { spawn } = await import("node:child_process");
    const code = (name: string) =>
      `const { createTrust } = await import(${JSON.stringify(module)}); const trust = createTrust(${JSON.stringify(state)});
       trust.request(trust.look(${JSON.stringify(project)}).find(({ hook }) => hook.name === "${name}").hook).accept();`;
    const ended = names.map(
      (name) => new Promise((resolve) => spawn(process.execPath, ["--input-type=module", "-e", code(name)]).on("exit", resolve)),
    );
    expect(await Promise.all(ended)).toEqual(names.map(() => 0));
    expect(states()).toEqual({ guard: "untrusted", ...Object.fromEntries(names.map((name) => [name, "trusted"])) });
  });
});

describe("a run without a person", () => {
  it("ends with what is not trusted, unless that is to be left out", () => {
    const { trust, hookOf, project, path } = makeProject({ ".hookline/hooks/other/HOOK.yaml": "" });
    trust.request(hookOf("guard")).accept();
    const rows = trust.look(project);
    expect(() => requireTrust(rows, { headless: true })).toThrow(/"other" \(untrusted\).*Look at them with: hookline hooks trust/);
    const allowed = [requireTrust(rows, { headless: false }), requireTrust(rows, { headless: true, skipUntrusted: true })];
    expect(allowed.map((hooks) => hooks.map(({ name }) => name))).toEqual([["guard"], ["guard"]]);
    rmSync(path("other"), { recursive: true });
    writeFileSync(path("guard/handler.js"), "evil");
    expect(() => requireTrust(trust.look(project), { headless: true })).toThrow('"guard" (modified)');
    trust.revoke(hookOf("guard"));
    expect(requireTrust(trust.look(project), { headless: true })).toEqual([]);
  });
});

describe("what is shown before consent", () => {
  it("is what would run: command, events, permissions and every file with its hash", () => {
    const { trust, hookOf } = makeProject();
    const { text, hash } = trust.request(hookOf("guard"));
    for (const part of [
      "runs     handler.js",
      "events   tool:before",
      "may      tools.intercept",
      `hash     ${hash}`,
      "files    2",
      "HOOK.yaml",
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/^ {2}[0-9a-f]{64} {2}- +\d+ {2}handler\.js$/m);
  });

  it("shows a process's command line, and a project's own file", () => {
    const extension = JSON.stringify({
      command: "node",
      args: ["main.js", "\u001b[31m"],
      permissions: ["tools.observe"],
      hooks: [{ event: "tool:after" }],
    });
    const { trust, hookOf } = makeProject({ ".hookline/hooks/ext/extension.json": extension, ".hookline/hookline.toml": "" });
    expect(trust.request(hookOf("ext")).text).toContain("runs     node main.js \\u{1b}[31m");
    expect(trust.request(hookOf("hookline.toml")).text).toContain("only tighten");
  });

  it("is inert: names cannot draw lines of their own or turn the text", () => {
    const name = "a\nhash     0000\u202e\u001b[2Jb";
    const { trust, hookOf } = makeProject({
      [`.hookline/hooks/guard/${name}`]: "",
      ".hookline/hooks/e\u001bvil/HOOK.yaml": 'events: ["\\e[2J"]\n',
    });
    const { text } = trust.request(hookOf("guard"));
    expect(text.match(/^hash /gm)).toHaveLength(1);
    expect(text + trust.request(hookOf("e\u001bvil")).text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it("survives a manifest that is a bomb or none", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${["b", "c", "d", "e", "f", "g"].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[index]}`).join(",")}]`).join("\n")}\n`;
    const { trust, hookOf } = makeProject({
      ".hookline/hooks/bomb/HOOK.yaml": bomb,
      ".hookline/hooks/none/HOOK.yaml": ":\n\t-",
      ".hookline/hooks/empty/x": "",
    });
    for (const name of ["bomb", "none", "empty"]) expect(trust.request(hookOf(name)).text).toContain("runs     nothing");
  });
});

describe("a folder that cannot be pinned", () => {
  const cases: readonly (readonly [string, (path: string) => void, string])[] = [
    ["a link to outside", (path) => symlinkSync("../../../secret", join(path, "l")), "leads outside"],
    ["an absolute link", (path) => symlinkSync("/tmp", join(path, "l")), "leads outside"],
    ["a roundabout link", (path) => symlinkSync("p/b/../x", join(path, "l")), "roundabout"],
    ["a pipe", (path) => makePipe(join(path, "pipe")), "neither a file nor a folder"],
    ["too deep", (path) => mkdirSync(join(path, ...Array(40).fill("d")), { recursive: true }), "nested deeper"],
  ];
  it.each(cases)("%s", (_, spoil, message) => {
    const { trust, hookOf, path } = makeProject();
    spoil(path("guard"));
    expect(() => trust.request(hookOf("guard"))).toThrow(
      expect.objectContaining({ code: "HL_TRUST_FOLDER", message: expect.stringContaining(message) }),
    );
  });

  it("has limits of number and size", () => {
    const folder = put(makeFolder(), { a: "12345", b: "12345" });
    expect(() => readFolder(folder, { maxFiles: 1, maxBytes: 100, maxDepth: 1 })).toThrow("more than 1 files");
    expect(() => readFolder(folder, { maxFiles: 9, maxBytes: 9, maxDepth: 1 })).toThrow("more than 9 bytes");
  });

  it("may hold links to its own files", () => {
    const folder = put(makeFolder(), { "a/x": "1", y: "2" });
    symlinkSync("../y", join(folder, "a/l"));
    expect(hashFolder(folder)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is no folder at all", () => {
    const { project, states, trust, hookOf } = makeProject({ ".hookline/hooks/file": "" });
    symlinkSync("/etc", join(project, ".hookline/hooks/link"));
    expect(states()).toEqual({ file: "rejected", guard: "untrusted", link: "rejected" });
    expect(() => trust.request(hookOf("link"))).toThrow("symbolic link");
  });
});

it("two trees are never the same bytes", () => {
  const one = put(makeFolder(), { a: "b", c: "" });
  const other = put(makeFolder(), { a: "", "b-c": "" });
  const same = put(makeFolder(), { c: "", a: "b" });
  expect(hashFolder(one)).not.toBe(hashFolder(other));
  expect(hashFolder(one)).toBe(hashFolder(same));
});

describe("the user's own hooks", () => {
  it("are listed when they are new or changed since the last review", () => {
    const { trust } = makeProject();
    expect(trust.newSinceReview({ a: "1", b: "1" })).toEqual(["a", "b"]);
    trust.review({ a: "1", b: "1" });
    expect(trust.newSinceReview({ a: "1", b: "2", c: "1" })).toEqual(["b", "c"]);
  });
});

describe("a repository of hostile hook files", () => {
  const module = fileURLToPath(new URL("../../../dist/extensions/trust/trust.js", import.meta.url));
  const hasStrace = spawnSync("sh", ["-c", "strace -V"]).status === 0;

  function hostile() {
    const made = makeProject({
      ".hookline/hookline.toml": "evil",
      ".hookline/hooks/guard/.env": "x",
      ".hookline/hooks/deep/a/b/c.js": "x",
    });
    for (const path of [join(made.project, ".hookline/hooks/pipe"), made.path("guard/pipe")]) makePipe(path);
    symlinkSync("/etc/passwd", made.path("guard/passwd"));
    return made;
  }
  const look = (state: string, project: string) =>
    `const { createTrust, requireTrust } = await import(${JSON.stringify(module)}); const rows = createTrust(${JSON.stringify(state)}).look(${JSON.stringify(project)});
     try { requireTrust(rows, { headless: true }); } catch (error) { console.log(error.code, rows.length); }`;

  it("is listed without waiting at its pipes", () => {
    const { states } = hostile();
    expect(states()).toEqual({ "hookline.toml": "untrusted", deep: "untrusted", guard: "untrusted", pipe: "rejected" });
  });

  it.skipIf(!hasStrace)("is listed without one of its files being opened, as the kernel sees it", ({ skip }) => {
    const { state, project } = hostile();
    const log = join(makeFolder(), "trace");
    const args = [
      "-f",
      "-qq",
      "-e",
      "trace=open,openat,openat2,execve,readlink,readlinkat",
      "-o",
      log,
      process.execPath,
      "--input-type=module",
      "-e",
      look(state, project),
    ];
    const { stdout, status } = spawnSync("sh", ["-c", 'exec strace "$@"', "sh", ...args], { encoding: "utf8", timeout: 60_000 });
    skip(status !== 0 && !existsSync(log), "tracing is not permitted here");
    expect(stdout).toBe("HL_UNTRUSTED 4\n");
    const opened = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes(project) && /\bopen/.test(line));
    // To list a folder is to open it as one; nothing else is opened, and of the hooks' own folders not even that.
    expect(opened.filter((line) => !line.includes("O_DIRECTORY"))).toEqual([]);
    expect(opened.filter((line) => /hooks\/./.test(line))).toEqual([]);
    expect(opened.length).toBeGreaterThan(0);
  });
});
