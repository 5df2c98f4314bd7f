import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findFolderFault, makeFolders, openFolder, openWritableFolder, runtimeFolder, stateFolder } from "./state-folder.js";

const isRoot = process.geteuid?.() === 0;
const refusal = (words: RegExp) =>
  expect.objectContaining({ code: "HL_STATE_FOLDER", failure: "untrusted", message: expect.stringMatching(words) });
const refusalWith = (command: RegExp) =>
  expect.objectContaining({ code: "HL_STATE_FOLDER", failure: "untrusted", fix: { run: expect.stringMatching(command) } });
let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "hookline-folder-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function underUmask(mask: number, act: () => void): void {
  const before = process.umask(mask);
  try {
    act();
  } finally {
    process.umask(before);
  }
}

describe("stateFolder and runtimeFolder", () => {
  it("follow the XDG variables", () => {
    expect(stateFolder({ XDG_STATE_HOME: base, HOME: "/elsewhere" })).toBe(join(base, "hookline"));
    expect(stateFolder({ HOME: "/home/anna" })).toBe("/home/anna/.local/state/hookline");
    expect(runtimeFolder({ XDG_RUNTIME_DIR: base, XDG_STATE_HOME: "/state" })).toBe(join(base, "hookline"));
    expect(runtimeFolder({ XDG_STATE_HOME: "/state" })).toBe("/state/hookline");
  });

  it.each(["", "relative/state", "./state", "~/state", "/nul\0"])("ignore %j", (value) => {
    expect(stateFolder({ XDG_STATE_HOME: value, HOME: "/home/anna" })).toBe("/home/anna/.local/state/hookline");
    expect(stateFolder({ HOME: value })).toBe(join(homedir(), ".local", "state", "hookline"));
    expect(runtimeFolder({ XDG_RUNTIME_DIR: value, XDG_STATE_HOME: "/state" })).toBe("/state/hookline");
  });

  it("leave a runtime folder alone that is not there, no folder, or open to others", () => {
    writeFileSync(join(base, "file"), "");
    mkdirSync(join(base, "open"));
    chmodSync(join(base, "open"), 0o1777);
    for (const name of ["absent", "file", "open"])
      expect(runtimeFolder({ XDG_RUNTIME_DIR: join(base, name), XDG_STATE_HOME: "/state" })).toBe("/state/hookline");
  });

  it.runIf(isRoot)("leave another user's runtime folder alone, as after sudo", () => {
    chownSync(base, 65_534, 65_534);
    expect(runtimeFolder({ XDG_RUNTIME_DIR: base, XDG_STATE_HOME: "/state" })).toBe("/state/hookline");
  });
});

describe("openFolder", () => {
  it.each([0o000, 0o022, 0o077, 0o177])("makes it, and those above it, with mode 0700 under umask %o", (mask) => {
    const above = join(base, "above");
    if (mask === 0o177) mkdirSync(above, 0o700);
    underUmask(mask, () => expect(openFolder(join(above, "hookline"))).toBe(join(above, "hookline")));
    expect(statSync(above).mode & 0o7777).toBe(0o700);
    expect(statSync(join(above, "hookline")).mode & 0o7777).toBe(0o700);
    openFolder(join(above, "hookline"));
    expect(findFolderFault(above)).toBeUndefined();
  });

  it.each([0o701, 0o710, 0o740, 0o704, 0o750, 0o755, 0o770, 0o702, 0o777, 0o1777])("refuses mode %o and says how to correct it", (mode) => {
    const path = join(base, "it's");
    mkdirSync(path);
    chmodSync(path, mode);
    expect(() => openFolder(path)).toThrow(refusalWith(/chmod 700 '.*it'\\''s'/));
    expect(statSync(path).mode & 0o7777).toBe(mode);
  });

  it("refuses a link, however it is written, and one that leads nowhere", () => {
    mkdirSync(join(base, "real"), 0o700);
    symlinkSync(join(base, "real"), join(base, "link"));
    symlinkSync(join(base, "nowhere"), join(base, "dangling"));
    for (const path of ["link", "link/", "link/.", "link//", "real/../link/", "dangling", "dangling/"])
      expect(() => openFolder(`${base}/${path}`)).toThrow(refusal(/symbolic link/));
    expect(existsSync(join(base, "nowhere"))).toBe(false);
  });

  it("refuses what is not a folder, and says why a folder cannot be made", () => {
    writeFileSync(join(base, "file"), "");
    expect(() => openFolder(join(base, "file"))).toThrow(refusal(/not a folder/));
    expect(() => openFolder(join(base, "file", "below"))).toThrow(expect.objectContaining({ code: "HL_STATE_FOLDER" }));
    expect(() => openFolder(`${base}/nul\0`)).toThrow(expect.objectContaining({ code: "HL_STATE_FOLDER" }));
  });

  it("names the folder in which nothing can be made, and the command that resolves it", () => {
    const shut = join(base, "shut");
    mkdirSync(shut, 0o500);
    // Root may write everywhere.
    if (isRoot) for (const path of [base, shut]) chownSync(path, 65_534, 65_534);
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(() => openFolder(join(shut, "state", "hookline"))).toThrow(
        expect.objectContaining({
          code: "HL_STATE_FOLDER",
          message: `The folder "${shut}/state/hookline" cannot be made: ${shut} cannot be written to (EACCES).`,
          fix: { run: `chmod u+rwx '${shut}'` },
        }),
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  // The system asks for the rights of the real user, and root may write everywhere.
  it.skipIf(isRoot)("opens a folder that is read-only for readers alone", () => {
    const shut = join(base, "shut");
    mkdirSync(shut, 0o500);
    expect(openFolder(shut)).toBe(shut);
    expect(() => openWritableFolder(shut)).toThrow(
      expect.objectContaining({
        message: `The hub cannot keep its files: ${shut} cannot be written to (EACCES).`,
        fix: { run: `chmod u+rwx '${shut}'` },
      }),
    );
  });

  it("refuses, and does not make, a folder below one in which every user can rename it, also behind a link", () => {
    const open = join(base, "open");
    mkdirSync(join(open, "mine"), { recursive: true, mode: 0o700 });
    chmodSync(open, 0o777);
    symlinkSync(join(open, "mine"), join(base, "link"));
    expect(() => openFolder(join(open, "mine"))).toThrow(refusalWith(/chmod o-w/));
    expect(() => openFolder(join(open, "new", "deep"))).toThrow(refusalWith(/chmod o-w/));
    expect(existsSync(join(open, "new"))).toBe(false);
    mkdirSync(join(open, "mine", "below"), 0o700);
    expect(() => openFolder(join(base, "link", "below"))).toThrow(refusalWith(/chmod o-w/));
    chmodSync(open, 0o1777);
    expect(openFolder(join(open, "mine"))).toBe(join(open, "mine"));
  });

  it.runIf(isRoot)("refuses another user's folder", () => {
    const path = join(base, "theirs");
    mkdirSync(path, 0o700);
    chownSync(path, 65_534, 65_534);
    expect(() => openFolder(path)).toThrow(refusal(/belongs to user 65534/));
  });
});

describe("makeFolders", () => {
  it("makes what is missing, and says whether anything was", () => {
    const folder = join(base, "a", "b", "c");
    expect(makeFolders(folder)).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(makeFolders(folder)).toBe(false);
  });

  it("fails where a file is in the way", () => {
    const file = join(base, "file");
    writeFileSync(file, "");
    expect(() => makeFolders(file)).toThrow("EEXIST");
    expect(() => makeFolders(join(file, "a", "b"))).toThrow("ENOTDIR");
  });

  it.skipIf(!existsSync("/proc/self"))("fails where no folder can be made", () => {
    expect(() => makeFolders("/proc/hookline/state")).toThrow("ENOENT");
  });
});
