import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createUnixSocketSink } from "../sinks/unix-socket/unix-socket.js";
import { checkSocketPath, defaultSocketPath, readSocketPath } from "./socket-path.js";

const unsafe = expect.objectContaining({ code: "HL_UNSAFE_SOCKET", failure: "untrusted" });
const isRoot = process.getuid?.() === 0;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hl-path-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("checkSocketPath", () => {
  it("accepts what is not there yet, and a socket of our own", async () => {
    const path = join(folder, "a.sock");
    checkSocketPath(path);
    checkSocketPath(join(folder, "nowhere", "a.sock"));
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    checkSocketPath(path);
    await new Promise((resolve) => server.close(resolve));
  });

  it("refuses a world-writable folder, unless it is sticky", () => {
    chmodSync(folder, 0o777);
    expect(() => createUnixSocketSink({ path: join(folder, "a.sock") })).toThrow(unsafe);
    chmodSync(folder, 0o1777);
    checkSocketPath(join(folder, "a.sock"));
  });

  it("refuses it behind a link, too", () => {
    const open = join(folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    symlinkSync(open, join(folder, "link"));
    expect(() => checkSocketPath(join(folder, "link", "a.sock"))).toThrow(unsafe);
  });

  it("refuses a file that is not a socket", () => {
    const path = join(folder, "a.sock");
    writeFileSync(path, "");
    expect(() => checkSocketPath(path)).toThrow(unsafe);
    symlinkSync(path, join(folder, "link.sock"));
    expect(() => checkSocketPath(join(folder, "link.sock"))).toThrow(unsafe);
  });

  it.runIf(isRoot)("refuses another user's socket, also when it appears later, and another user's folder", async () => {
    const path = join(folder, "a.sock");
    const sink = createUnixSocketSink({ path });
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    chownSync(path, 4242, 4242);
    expect(() => checkSocketPath(path)).toThrow(unsafe);
    const [envelope] = [
      { v: 2, id: "a", seq: 0, at: "", event: "a:b", source: { app: "", host: "", pid: 0, instance: "i" }, payload: 1, hops: [] },
    ] as const;
    expect(await sink.send([envelope], new AbortController().signal)).toMatchObject({
      status: "retry",
      cause: { code: "HL_UNSAFE_SOCKET" },
    });
    await sink.close();
    await new Promise((resolve) => server.close(resolve));
    chownSync(folder, 4242, 4242);
    expect(() => checkSocketPath(path)).toThrow(unsafe);
  });
});

describe("socket paths", () => {
  it("are in the runtime folder, else in the state folder, and never in a world-writable one", () => {
    expect(defaultSocketPath("e.sock", { XDG_RUNTIME_DIR: folder })).toBe(join(folder, "hookline", "e.sock"));
    expect(defaultSocketPath("e.sock", { XDG_RUNTIME_DIR: tmpdir(), XDG_STATE_HOME: folder })).toBe(join(folder, "hookline", "e.sock"));
    expect(defaultSocketPath("e.sock", { XDG_RUNTIME_DIR: "relative" })).toMatch(/\.local.state.hookline.e\.sock$/);
  });

  it("are refused where no socket can be", () => {
    for (const path of ["", "a\0b", `/${"x".repeat(200)}`, 7])
      expect(() => readSocketPath(path)).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });
});
