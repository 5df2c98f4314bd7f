import { chmodSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorText } from "@hookline/core";
import { followPrivateWrites, watchSignature } from "@hookline/core/internal/machine";
import { findAgent } from "../../agents/agents.js";
import { type Attached, covers, readAttached } from "../../agents/attach/attached.js";
import { readInstalled } from "../../agents/install/installed.js";
import type { AttachTarget } from "../../agents/shared/definition.js";
import type { AlarmReport } from "../alarms/alarms.js";
import { isRunning, type ProcessId } from "../auth/processes.js";
import type { Mode } from "../mode.js";
import { agentFiles, projectFiles, switchFault } from "./agent-files.js";
import { combined, type FileState, type GuardedFile, hubFiles, readState } from "./guarded-files.js";

/** Notices changes to the files that the guards depend on. */
export interface Tamper {
  /** Begins to watch. The files that the hub writes must be there. */
  start(): void;
  /** A command tells the hub that it is about to change files. `process`: the command, where the operating system names it. */
  expectChange(process?: ProcessId): void;
  /** An attached agent works in this folder. */
  seeFolder(agent: string, folder: string): void;
  /** Why hooks of an agent that is attached with `--strict` may not run in a folder that `seeFolder` knows. */
  silencedIn(agent: string, folder: string): string | undefined;
  /** Why our entries would not work with this file of an agent's settings as it is now. */
  faultIn(agent: string, path: string): string | undefined;
  /** The files that are watched. */
  files(): readonly string[];
  /** What is wrong now, by file. */
  faults(): readonly { readonly path: string; readonly text: string }[];
  close(): void;
}

export interface TamperOptions {
  readonly state: string;
  /** The folder of attached agents' files. */
  readonly attach: string;
  readonly raise: (alarm: AlarmReport) => void;
  readonly mode: () => Mode;
  readonly onProblem: (text: string) => void;
  readonly env?: NodeJS.ProcessEnv;
  readonly now?: () => number;
}

/** A command changes its files directly after it has told the hub. */
const EXPECTED_MS = 15_000;
/** Such a command writes the record and the agent's file one after the other. Between the two they do not agree. */
const BETWEEN_MS = 800;
/** A program that writes a file empties it first. */
const EMPTY_MS = 50;
const MAX_RESTORES = 3;
const RESTORES_MS = 60_000;
/** What was not restored is looked at again this often, until the minute is over. */
const RETRY_MS = 1_000;
const POLL_MS = 400;
/** After a command has ended, the hub may still have to read what it wrote. */
const AFTER_MS = 1_500;
const ENDED_MS = 200;
/** The folders that agents worked in last. Of others, the project's settings are not watched. */
const MAX_FOLDERS = 32;

interface Watched {
  readonly file: GuardedFile;
  /** What was read last. */
  seen: FileState;
  /** What was read when nothing was wrong. */
  good: FileState | undefined;
  emptySince?: number | undefined;
  restoredAt: number[];
}

export function createTamper(options: TamperOptions): Tamper {
  const { state, attach, raise, mode, onProblem, env = process.env, now = Date.now } = options;
  const watched = new Map<string, Watched>();
  const own = hubFiles(state, attach);
  const watches = new Map<string, { readonly names: string; close(): void }>();
  const timers = new Set<NodeJS.Timeout>();
  const retries = new Set<string>();
  /** By the record's entry: a file knows whether the user had switched the hooks off before. */
  const made = new Map<string, GuardedFile[]>();
  /** By agent and folder, the one that was seen last at the end. */
  const projects = new Map<string, readonly GuardedFile[]>();
  let expectedUntil = 0;
  let lastAttached: readonly GuardedFile[] = [];
  let lastRecord: readonly Attached[] = [];
  let stopFollowing = (): void => {};
  let isClosed = false;

  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!isClosed) act();
    }, ms).unref();
    timers.add(timer);
  }

  function isExpected(): boolean {
    return now() < expectedUntil;
  }

  /** The time ends soon after the command does. */
  function expectWhile(process: ProcessId): void {
    if (isRunning(process)) later(ENDED_MS, () => expectWhile(process));
    else expectedUntil = Math.min(expectedUntil, now() + AFTER_MS);
  }

  /** An empty or missing file counts when it stays so: a program may be writing it. */
  function read(one: Watched): FileState {
    const found = readState(one.file);
    if ((found.text ?? "") !== "" || (one.seen.text ?? "") === "") {
      one.emptySince = undefined;
      return found;
    }
    one.emptySince ??= performance.now();
    if (performance.now() - one.emptySince >= EMPTY_MS) return found;
    later(EMPTY_MS, () => look(dirname(one.file.path)));
    return one.seen;
  }

  function signatureOf(folder: string): string {
    return inFolder(folder)
      .map(({ file }) => JSON.stringify(readState(file)))
      .join("\n");
  }

  function inFolder(folder: string): Watched[] {
    return [...watched.values()].filter(({ file }) => dirname(file.path) === folder);
  }

  function look(folder: string): void {
    for (const one of inFolder(folder)) {
      const found = read(one);
      if (found.text === one.seen.text && found.mode === one.seen.mode && found.unread === one.seen.unread) continue;
      one.seen = found;
      judge(one);
    }
  }

  function judge(one: Watched): void {
    const { file, seen } = one;
    if (file.writer === "commands" && isExpected()) {
      one.good = seen;
      return adopt();
    }
    const fault = faultOf(one);
    if (fault === undefined) {
      one.good = seen;
      return;
    }
    if (isExpected() && file.writer === "anyone") return later(BETWEEN_MS, () => recheck(file.path));
    alarm(one, fault);
  }

  function recheck(path: string): void {
    adopt();
    const one = watched.get(path);
    if (one === undefined) return;
    const fault = faultOf(one);
    if (fault === undefined) one.good = one.seen;
    else alarm(one, fault);
  }

  function faultOf({ file, seen, good }: Watched): string | undefined {
    const fault = file.fault(seen, good);
    if (fault !== undefined || seen.mode === undefined || good?.mode === undefined) return fault;
    const added = seen.mode & ~good.mode & file.bits;
    return added === 0 || process.platform === "win32"
      ? undefined
      : `Other users can now ${(added & 0o022) === 0 ? "read" : "change"} the file (mode ${seen.mode.toString(8)}).`;
  }

  function alarm(one: Watched, fault: string): void {
    const { path, agent, fix } = one.file;
    const restored = mode() === "protect" ? restore(one) : "";
    raise({ kind: "tampered", path, text: `${fault}${restored}`, ...(agent !== undefined && { agent }), ...(restored === "" && { fix }) });
  }

  /** Says what was done about it. */
  function restore(one: Watched): string {
    const { file, seen, good } = one;
    one.restoredAt = one.restoredAt.filter((at) => now() - at < RESTORES_MS);
    if (one.restoredAt.length >= MAX_RESTORES) {
      retryLater(file.path);
      return "";
    }
    one.restoredAt.push(now());
    try {
      if (file.fault(seen, good) !== undefined) file.restore(seen, good ?? {});
      const { mode: current } = readState(file);
      if (current !== undefined && good?.mode !== undefined && (current & ~good.mode & file.bits) !== 0) chmodSync(file.path, good.mode);
      one.seen = readState(file);
      if (faultOf(one) !== undefined) return "";
      one.good = one.seen;
      return " The hub has restored it.";
    } catch (error) {
      onProblem(`"${file.path}" could not be restored: ${errorText(error)}`);
      return "";
    }
  }

  /** A file without a further change must not stay as it is after the minute. */
  function retryLater(path: string): void {
    if (retries.has(path)) return;
    retries.add(path);
    later(RETRY_MS, () => {
      retries.delete(path);
      const one = watched.get(path);
      if (one === undefined || mode() !== "protect" || faultOf(one) === undefined) return;
      if (one.restoredAt.filter((at) => now() - at < RESTORES_MS).length >= MAX_RESTORES) retryLater(path);
      else recheck(path);
    });
  }

  /** Follows the record: which agents are attached, and where. */
  function adopt(): void {
    const attached = [...own, ...attachedFiles()];
    const isAttached = (file: GuardedFile): boolean => attached.some(({ agent }) => agent === file.agent);
    // The user's home can be a project, too: what the user's own files say is checked already.
    const isKnown = ({ path }: GuardedFile): boolean => attached.some((file) => file.path === path);
    const others = [...projects.values()].flat().filter((file) => isAttached(file) && !isKnown(file));
    const files = combined([...attached, ...others]);
    for (const path of [...watched.keys()]) if (!files.has(path)) watched.delete(path);
    for (const file of files.values()) {
      const known = watched.get(file.path);
      const seen = known?.seen ?? readState(file);
      const one: Watched = { restoredAt: [], good: undefined, ...known, file, seen };
      watched.set(file.path, one);
      if (known === undefined && file.writer === "hub") one.good = seen;
      else if (file.fault(seen, known?.good ?? seen) === undefined) one.good = known?.good ?? seen;
    }
    watchFolders();
  }

  /** What was wrong before the hub began to watch. */
  function tellFaults(isMeant: (path: string) => boolean): void {
    for (const one of watched.values()) {
      if (one.file.writer === "hub" || !isMeant(one.file.path)) continue;
      const fault = one.file.fault(one.seen, one.good ?? one.seen);
      if (fault !== undefined) alarm(one, fault);
    }
  }

  function attachedFiles(): readonly GuardedFile[] {
    try {
      const record = readInstalled(attach);
      lastRecord = readAttached(attach);
      for (const installed of record) {
        const text = JSON.stringify(installed);
        if (!made.has(text)) made.set(text, agentFiles(attach, installed, env));
      }
      lastAttached = record.flatMap((installed) => made.get(JSON.stringify(installed)) ?? []);
      return lastAttached;
    } catch {
      // The record itself is watched. What it said before stays in force.
      return lastAttached;
    }
  }

  function targetIn(agent: string, folder: string): AttachTarget {
    const scopes = lastRecord.filter((one) => one.agent === agent && covers(one, folder)).map(({ scope }) => scope);
    return scopes.includes("managed") ? "managed" : "user";
  }

  function watchFolders(): void {
    const folders = new Map<string, string[]>();
    for (const path of watched.keys()) folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), basename(path)]);
    for (const [folder, { close, names }] of watches)
      if (folders.get(folder)?.join("\n") !== names) {
        close();
        watches.delete(folder);
      }
    for (const [folder, names] of folders) {
      if (watches.has(folder)) continue;
      const watch = watchSignature({
        signature: () => signatureOf(folder),
        before: signatureOf(folder),
        files: { folder, names },
        pollMs: POLL_MS,
        settleMs: 0,
        onChange: () => look(folder),
      });
      watches.set(folder, { names: names.join("\n"), close: watch.close });
    }
  }

  return {
    start() {
      stopFollowing = followPrivateWrites((path, text) => {
        const one = watched.get(path);
        if (one === undefined) return;
        one.seen = { text, mode: 0o600 };
        one.good = one.seen;
        if (one.file.writer === "commands") adopt();
      });
      adopt();
      tellFaults(() => true);
    },
    expectChange(process) {
      expectedUntil = now() + EXPECTED_MS;
      if (process !== undefined) expectWhile(process);
    },
    seeFolder(agent, folder) {
      const key = `${agent}\n${folder}`;
      const known = projects.get(key);
      // The one that was silent for longest is forgotten first.
      projects.delete(key);
      projects.set(key, known ?? projectFiles(attach, agent, { folder, target: targetIn(agent, folder), env }));
      if (known !== undefined || isClosed) return;
      const [oldest] = projects.keys();
      if (projects.size > MAX_FOLDERS && oldest !== undefined) projects.delete(oldest);
      const before = new Set(watched.keys());
      adopt();
      tellFaults((path) => !before.has(path));
    },
    silencedIn(agent, folder) {
      if (!lastRecord.some((one) => one.agent === agent && one.isStrict && covers(one, folder))) return undefined;
      const files = [...(projects.get(`${agent}\n${folder}`) ?? []), ...lastAttached.filter((file) => file.agent === agent)];
      for (const file of files) {
        const fault = file.silences?.(watched.get(file.path)?.seen ?? readState(file));
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
    faultIn(agent, path) {
      const one = watched.get(path);
      if (one !== undefined) return one.file.fault(readState(one.file), one.good);
      // Settings of a project can switch off the hooks of the user, too.
      const { title, install } = findAgent(agent) ?? {};
      const off = install?.offSwitches?.({ path, target: "project", env }).find((other) => other.path === path);
      return off === undefined ? undefined : switchFault(title ?? agent, off, readState({ path, writer: "anyone" }));
    },
    files: () => [...watched.keys()],
    faults: () =>
      [...watched.values()].flatMap((one) => {
        const text = faultOf(one);
        return text === undefined ? [] : [{ path: one.file.path, text }];
      }),
    close() {
      isClosed = true;
      stopFollowing();
      for (const timer of timers) clearTimeout(timer);
      for (const { close } of watches.values()) close();
    },
  };
}
