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
import { extensionJson } from "../../../../../test/support/hook-files.js";
import { removeFolder } from "../../../../../test/support/remove-folder.js";
import { hashFolder } from "./hash-folder.js";
import { listProjectHooks, type ProjectHook } from "./project-hooks.js";
import { readFolder } from "./read-folder.js";
import { createTrust, requireTrust } from "./trust.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeFolder(folder);
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
    const modes = [
      state,
      join(state, "trust.json"),
      join(state, "trust.json.bak"),
      join(state, "trusted"),
      copy,
      join(copy, "handler.js"),
    ].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o700, 0o500, 0o400]);
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
    ["is not a record", (path: string) => writeFileSync(path, '{"consents":[{}],"reviewed":{}}')],
    ["is a link", (path: string) => linkOver(path, `${path}.real`)],
    ["is gone", (path: string) => rmSync(path)],
  ])("is not read from a file that %s, but from its backup while there is one", (_, spoil) => {
    const { trust, hookOf, states, state, project } = makeProject({ ".hookline/hooks/other/HOOK.yaml": "" });
    const [record, backup] = [join(state, "trust.json"), join(state, "trust.json.bak")];
    trust.request(hookOf("guard")).accept();
    expect(trust.fault()).toBeUndefined();
    spoil(record);
    expect(states()).toEqual({ guard: "trusted", other: "untrusted" });
    expect(trust.fault()).toMatchObject({
      message: expect.stringContaining("Its backup is used until the record is fixed."),
      fix: { run: expect.stringMatching(/^rm -f .* && cp -p /) },
    });
    execFileSync("sh", ["-c", commandOf(trust.fault())]);
    expect([trust.fault(), states().guard, statSync(record).mode & 0o777]).toEqual([undefined, "trusted", 0o600]);
    spoil(record);
    writeFileSync(backup, "{");
    expect(() => trust.look(project)).toThrow(
      expect.objectContaining({ code: "HL_TRUST_STORE", fix: { run: expect.stringContaining("rm -f") } }),
    );
    expect(() => trust.request(hookOf("guard")).accept()).toThrow("cannot be used");
  });

  it("is fixed by the next consent", () => {
    const { trust, hookOf, states, state } = makeProject({ ".hookline/hooks/other/HOOK.yaml": "" });
    trust.request(hookOf("guard")).accept();
    writeFileSync(join(state, "trust.json"), "{");
    trust.request(hookOf("other")).accept();
    expect([trust.fault(), states()]).toEqual([undefined, { guard: "trusted", other: "trusted" }]);
    rmSync(join(state, "trust.json.bak"));
    trust.backUp();
    expect(readFileSync(join(state, "trust.json.bak"), "utf8")).toBe(readFileSync(join(state, "trust.json"), "utf8"));
  });

  it("for a project's own file is for no folder of that name, also in an older record", () => {
    const { trust, hookOf, project, state } = makeProject({ ".hookline/hookline.toml": "" });
    trust.request(hookOf("hookline.toml")).accept();
    const record = join(state, "trust.json");
    writeFileSync(record, readFileSync(record, "utf8").replace('"hook": ".hookline/hookline.toml"', '"hook": "hookline.toml"'));
    put(project, { ".hookline/hooks/hookline.toml/HOOK.yaml": manifest, ".hookline/hooks/hookline.toml/handler.js": "" });
    const rows = () => trust.look(project).map(({ hook, state: how }) => `${hook.kind} ${hook.name} ${how}`);
    expect(rows()).toEqual(["config hookline.toml trusted", "folder guard untrusted", "folder hookline.toml rejected"]);
    rmSync(join(project, ".hookline/hookline.toml"));
    expect(rows()).toEqual(["config hookline.toml trusted", "folder guard untrusted", "folder hookline.toml rejected"]);
    expect(trust.revoke(trust.look(project)[0]?.hook as ProjectHook)).toBe(true);
    expect(rows()).toEqual(["folder guard untrusted", "folder hookline.toml rejected"]);
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
    expect(() => requireTrust(rows, { headless: true })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('"other" (untrusted)'),
        fix: { run: expect.stringContaining("hookline hooks trust --project") },
      }),
    );
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
      "env      all of the hub's",
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
    const extension = extensionJson("ext", {
      command: "node",
      args: ["main.js", "\u001b[31m", "two words"],
      env: ["SECRET_TOKEN"],
      config: { key: { secretEnv: "API_KEY" } },
    });
    const { trust, hookOf } = makeProject({ ".hookline/hooks/ext/extension.json": extension, ".hookline/hookline.toml": "" });
    expect(trust.request(hookOf("ext")).text).toContain(
      [
        "runs     node main.js '\\x1b[31m' 'two words'",
        "outside  node (from the PATH)",
        "env      SECRET_TOKEN, API_KEY of the hub's, besides PATH, HOME and similar variables",
        "events   tool:before",
      ].join("\n"),
    );
    expect(trust.request(hookOf("hookline.toml")).text).toContain("only tighten");
  });

  it("is what the loader takes, whole, and what is not shown beside it is said", () => {
    const long = `${"// x\n".repeat(20_000)}export const handle = () => {}; // the end\n`;
    const { trust, hookOf } = makeProject({
      ".hookline/hooks/guard/handler.js": long,
      ".hookline/hooks/guard/a.txt": "x".repeat(20_000),
      ".hookline/hooks/ext/extension.json": extensionJson("ext", { command: "node", args: ["--flag", "./lib/main.mjs"] }),
      ".hookline/hooks/ext/lib/main.mjs": long,
      ".hookline/hooks/ext/HOOK.yaml": 'events: ["tool:after"]\n',
    });
    const guard = trust.request(hookOf("guard")).contents;
    expect(guard).toContain("// the end");
    expect(guard).toContain("a.txt: 20000 bytes, not shown here");
    const ext = trust.request(hookOf("ext"));
    expect(ext.contents).toContain("// the end");
    expect(ext.text).toContain("events   tool:before");
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

  it("survives a manifest that is a YAML bomb or malformed", () => {
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
  const cases: (readonly [string, (path: string) => void, string])[] = [
    ["a link to outside", (path) => symlinkSync("../../../secret", join(path, "l")), "leads out of the folder"],
    ["an absolute link", (path) => symlinkSync("/tmp", join(path, "l")), "leads out of the folder"],
    ["a roundabout link", (path) => symlinkSync("p/b/../x", join(path, "l")), "through another link"],
    ["a pipe", (path) => makePipe(join(path, "pipe")), "neither a file nor a folder"],
    ["too deep", (path) => mkdirSync(join(path, ...Array(40).fill("d")), { recursive: true }), "nested deeper"],
  ];
  const write = (name: string, content: string | Buffer) => (path: string) => writeFileSync(join(path, name), content);
  const runs = (command: string, ...args: string[]) => write("extension.json", extensionJson("guard", { command, args }));
  cases.push(
    ["a manifest that is a link", (path) => symlinkSync("HOOK.yaml", join(path, "extension.json")), '"extension.json" is a link'],
    ["a handler that is a link", (path) => symlinkSync("handler.js", join(path, "handler.ts")), '"handler.ts" is a link'],
    ["a handler that is a folder", (path) => mkdirSync(join(path, "handler.ts")), '"handler.ts" is a folder'],
    ["a manifest in other letters", (path) => write("Extension.JSON", extensionJson("x"))(path), 'must be called "extension.json"'],
    ["an unreadable handler", write("handler.js", Buffer.from([0x2f, 0x2f, 0, 0x0a])), "is not text"],
    ["a handler that is too long to read", write("handler.js", "//\n".repeat(100_000)), "more than 256 KiB"],
    ["a program of the project", (path) => runs(join(path, "../../../run.sh"))(path), "its command uses a file outside its folder"],
    ["a program of the project's own folder", (path) => runs(join(path, "run.sh"))(path), "its command uses a file outside its folder"],
    ["a program further up", runs("../../run.sh"), "its command uses a file outside its folder"],
    ["an argument further up", runs("node", "lib/../../run.js"), "its command uses a file outside its folder"],
    [
      "an argument in an option",
      (path) => runs("node", `--import=${join(path, "../../../x.mjs")}`)(path),
      "uses a file outside its folder",
    ],
    [
      "a text for a shell",
      (path) => runs("sh", "-c", `. '${join(path, "../../../run.sh")}'; true`)(path),
      "uses a file outside its folder",
    ],
    ["a link to the project", (path) => runs("sh", linkTo(join(path, "../../..")))(path), "uses a file outside its folder"],
  );
  /** A path that leads into a folder by a link that stands elsewhere. */
  function linkTo(folder: string): string {
    const link = join(makeFolder(), "link");
    symlinkSync(folder, link);
    return join(link, "run.sh");
  }

  it.each(cases)("%s", (_, spoil, message) => {
    const { trust, hookOf, path } = makeProject();
    spoil(path("guard"));
    expect(() => trust.request(hookOf("guard"))).toThrow(
      expect.objectContaining({ code: "HL_TRUST_FOLDER", message: expect.stringContaining(message) }),
    );
  });

  it("may run programs of the system, which are named, and of its own", () => {
    const { trust, hookOf, path } = makeProject();
    runs("/bin/sh", "-u", "./run.sh", "--log=/dev/null")(path("guard"));
    expect(trust.request(hookOf("guard")).text).toContain("outside  /bin/sh, /dev/null\n");
    runs("./run.sh")(path("guard"));
    expect(trust.request(hookOf("guard")).text).toContain("outside  none\n");
  });

  it("is not run either when it was consented to before that was known", () => {
    const { trust, hookOf, path, state } = makeProject({ ".hookline/hooks/guard/zz.txt": "" });
    const consent = trust.request(hookOf("guard")).accept();
    symlinkSync("zz.txt", join(path("guard"), "handler.ts"));
    const hash = hashFolder(path("guard"));
    cpSync(path("guard"), join(state, "trusted", hash), { recursive: true, verbatimSymlinks: true });
    const record = join(state, "trust.json");
    writeFileSync(record, readFileSync(record, "utf8").replace(consent.hash, hash));
    expect(() => trust.open(hookOf("guard"))).toThrow(expect.objectContaining({ code: "HL_TRUST_FOLDER" }));
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

  it("is not a folder", () => {
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

function commandOf(error: HookError | undefined): string {
  return typeof error?.fix === "object" ? error.fix.run : "false";
}
