import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HUB_FILE, readHubFile, removeHubFile, writeHubFile } from "./hub-file.js";
import type { HubFile } from "./parse-hub-file.js";

const isRoot = process.geteuid?.() === 0;
let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-hub-"));
  path = join(folder, HUB_FILE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hub = (changes: Partial<HubFile> = {}): HubFile => ({
  url: "http://127.0.0.1:4665",
  line: join(folder, "line.sock"),
  http: join(folder, "http.sock"),
  token: "s3cr3t-t0ken-of-the-hub",
  pid: process.pid,
  startedAt: new Date().toISOString(),
  instance: "first",
  ...changes,
});
const put = (content: string, mode = 0o600) => {
  writeFileSync(path, content);
  chmodSync(path, mode);
};

describe("writeHubFile", () => {
  it.each([0o000, 0o022, 0o277])("writes 0600 in a 0700 folder under umask %o, and it reads back", (mask) => {
    const below = join(folder, "made");
    if (mask === 0o277) mkdirSync(below, 0o700);
    const before = process.umask(mask);
    try {
      writeHubFile(below, hub());
    } finally {
      process.umask(before);
    }
    expect(statSync(join(below, HUB_FILE)).mode & 0o7777).toBe(0o600);
    expect(statSync(below).mode & 0o7777).toBe(0o700);
    expect(readdirSync(below)).toEqual([HUB_FILE]);
    expect(readHubFile(below)).toEqual({ state: "found", file: hub({ startedAt: expect.any(String) }) });
  });

  it("is never seen half, nor with another mode, by a process that looks all the time", async () => {
    const program = `const fs = require("fs"), dir = process.argv[1], seen = {};
      while (!fs.existsSync(dir + "/stop")) for (const name of fs.readdirSync(dir)) try {
        const kind = name === "hub.json" ? "file" : "other";
        seen[kind + " " + (fs.lstatSync(dir + "/" + name).mode & 0o7777).toString(8)] = true;
        if (kind === "file") JSON.parse(fs.readFileSync(dir + "/" + name));
      } catch (error) { if (error.code !== "ENOENT") seen[String(error.name)] = true; }
      console.log(JSON.stringify(Object.keys(seen).sort()));`;
    const before = process.umask(0);
    try {
      writeHubFile(folder, hub());
      const child = spawn(process.execPath, ["-e", program, folder], { stdio: ["ignore", "pipe", "inherit"] });
      let seen = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (seen += text));
      for (const end = Date.now() + 700; Date.now() < end; ) writeHubFile(folder, hub());
      writeFileSync(join(folder, "stop"), "", { mode: 0o600 });
      await once(child, "close");
      expect(JSON.parse(seen)).toEqual(expect.arrayContaining(["file 600"]));
      expect(JSON.parse(seen).filter((what: string) => !what.endsWith(" 600"))).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  it("replaces a link and an open file in its place, and touches nothing behind them", () => {
    const victim = join(folder, "victim");
    writeFileSync(victim, "precious");
    symlinkSync(victim, path);
    writeHubFile(folder, hub());
    expect(lstatSync(path).isFile()).toBe(true);
    rmSync(path);
    linkSync(victim, path);
    chmodSync(path, 0o666);
    writeHubFile(folder, hub());
    expect(statSync(path).mode & 0o7777).toBe(0o600);
    expect(readFileSync(victim, "utf8")).toBe("precious");
  });

  it("refuses what no reader would take, without a word of the token", () => {
    const failure = thrown(() => writeHubFile(folder, hub({ token: "s3cr3t" })));
    expect(failure).toMatchObject({ code: "HL_HUB_FILE", message: expect.stringContaining('"token"') });
    expect(failure.message).not.toContain("s3cr3t");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves nothing behind when it fails, and sweeps what a killed hub left", () => {
    mkdirSync(join(path, "full"), { recursive: true });
    const failure = thrown(() => writeHubFile(folder, hub()));
    expect(failure).toMatchObject({ code: "HL_HUB_FILE" });
    expect(`${failure.stack} ${failure.cause}`).not.toContain("s3cr3t");
    expect(readdirSync(folder)).toEqual([HUB_FILE]);
    rmSync(path, { recursive: true });
    const [old, fresh, other] = [".hub.json.0123456789abcdef", ".hub.json.fedcba9876543210", ".other.json.0123456789abcdef"] as const;
    for (const name of [old, fresh, other]) writeFileSync(join(folder, name), "");
    for (const name of [old, other]) utimesSync(join(folder, name), 0, 0);
    writeHubFile(folder, hub());
    expect(readdirSync(folder).sort()).toEqual([fresh, other, HUB_FILE].sort());
  });

  it("refuses a folder that others can get at", () => {
    chmodSync(folder, 0o755);
    expect(() => writeHubFile(folder, hub())).toThrow(expect.objectContaining({ code: "HL_STATE_FOLDER" }));
    expect(existsSync(path)).toBe(false);
  });
});

describe("readHubFile", () => {
  it("knows where there is none", () => {
    for (const place of [folder, join(folder, "absent"), join(folder, "absent", "deep")])
      expect(readHubFile(place)).toEqual({ state: "none" });
  });

  it.each(["", "{", "null", "\ufeff{}", "[]"])("says that %j is broken", (content) => {
    put(content);
    expect(readHubFile(folder)).toMatchObject({ state: "broken" });
  });

  it("takes 65,536 bytes and not one more", () => {
    put(JSON.stringify(hub()).padEnd(65_536));
    expect(readHubFile(folder)).toMatchObject({ state: "found" });
    put(JSON.stringify(hub()).padEnd(65_537));
    expect(readHubFile(folder)).toMatchObject({ state: "broken", reason: expect.stringContaining("65536") });
  });

  it.each([0o604, 0o640, 0o620, 0o602, 0o644, 0o666, 0o601])("does not trust mode %o", (mode) => {
    put(JSON.stringify(hub()), mode);
    expect(readHubFile(folder)).toMatchObject({ state: "foreign", fix: { run: expect.stringContaining("chmod 600") } });
  });

  it("follows no link: to a file, to nothing, in a circle, of the folder", () => {
    writeHubFile(folder, hub());
    renameSync(path, join(folder, "real"));
    for (const target of [join(folder, "real"), join(folder, "nothing"), path]) {
      symlinkSync(target, path);
      expect(readHubFile(folder)).toMatchObject({ state: "foreign", reason: expect.stringContaining("link") });
      rmSync(path);
    }
    renameSync(join(folder, "real"), path);
    mkdirSync(join(folder, "below"));
    symlinkSync(folder, join(folder, "below", "link"));
    for (const end of ["", "/", "/."]) expect(readHubFile(join(folder, "below", "link") + end)).toMatchObject({ state: "foreign" });
  });

  it("does not wait for a pipe, nor take a folder for a file", () => {
    execFileSync("sh", ["-c", `mkfifo -m 600 "$1"`, "sh", path]);
    expect(readHubFile(folder)).toMatchObject({ state: "broken" });
    rmSync(path);
    mkdirSync(path, 0o700);
    expect(readHubFile(folder)).toMatchObject({ state: "broken" });
    expect(readHubFile("/nul\0")).toMatchObject({ state: "broken" });
  });

  it("does not trust an open folder", () => {
    writeHubFile(folder, hub());
    chmodSync(folder, 0o770);
    expect(readHubFile(folder)).toMatchObject({ state: "foreign", fix: { run: expect.stringContaining("chmod 700") } });
  });

  it.runIf(isRoot)("does not trust another user's file or folder", () => {
    writeHubFile(folder, hub());
    chownSync(path, 65_534, 65_534);
    expect(readHubFile(folder)).toEqual({ state: "foreign", reason: "it belongs to user 65534" });
    chownSync(path, 0, 0);
    chownSync(folder, 65_534, 65_534);
    expect(readHubFile(folder)).toMatchObject({ state: "foreign" });
  });

  it("follows a file whose process is invisible: only the socket tells whether the hub runs", () => {
    writeHubFile(folder, hub({ pid: 2 ** 22 + 1 }));
    expect(readHubFile(folder)).toMatchObject({ state: "found", file: { pid: 2 ** 22 + 1 } });
  });
});

describe("removeHubFile", () => {
  it("removes its own file only", () => {
    writeHubFile(folder, hub({ instance: "second" }));
    expect(removeHubFile(folder, "first")).toBe(false);
    expect(existsSync(path)).toBe(true);
    expect(removeHubFile(folder, "second")).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
    expect(removeHubFile(folder, "second")).toBe(false);
  });

  it("leaves alone what it cannot trust or read, and never throws", () => {
    put("{");
    expect(removeHubFile(folder, "first")).toBe(false);
    put(JSON.stringify(hub()), 0o644);
    expect(removeHubFile(folder, "first")).toBe(false);
    expect(existsSync(path)).toBe(true);
    expect(removeHubFile(join(folder, "absent"), "first")).toBe(false);
    expect(removeHubFile("/nul\0", "first")).toBe(false);
  });
});

function thrown(act: () => void): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("Nothing was thrown.");
}
