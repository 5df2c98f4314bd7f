import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Fix } from "@hookline/core";
import { GATES_FILE, HUB_FILE, replacePrivately } from "@hookline/core/internal/machine";
import { KEY_FILE } from "../../agents/client/key-file.js";
import { RECORD_FILE } from "../../agents/install/installed.js";
import { MAX_SETTINGS_BYTES, readRegularFile } from "../../machine/regular-file.js";
import { OPERATOR_FILE } from "../auth/read-operator-file.js";

/** A file as it is now. Without a text, there is no file that can be read. */
export interface FileState {
  readonly text?: string;
  readonly mode?: number;
  /** Why it was not read, although it is there and an agent may read it. */
  readonly unread?: string;
}

/** A file that the guards depend on. */
export interface GuardedFile {
  readonly path: string;
  /** The attached agent that is concerned. */
  readonly agent?: string;
  /** `hub`: only the hub may change it. `commands`: also a command that told the hub before. `anyone`: every program, if our entries stay. */
  readonly writer: "hub" | "commands" | "anyone";
  /** The bits of the mode that must not be added. */
  readonly bits: number;
  readonly fix: Fix;
  /** What is wrong with it, in one sentence. `good`: how it was when nothing was wrong. */
  fault(now: FileState, good: FileState | undefined): string | undefined;
  /** Why hooks may not run with this content. A strict agent gets no call through meanwhile. */
  silences?(now: FileState): string | undefined;
  /** Makes it as it was, as far as it is ours. `good` is empty if the file was never seen without a fault. */
  restore(now: FileState, good: FileState): void;
}

export const OTHERS = 0o077;
const RESTART: Fix = { run: "hookline down && hookline up --detach" };
/** The hub writes these, and reads some of them only when it starts. */
const HUB_FILES = [
  HUB_FILE,
  OPERATOR_FILE,
  GATES_FILE,
  "always-allow.json",
  "logins.json",
  "metrics-token.json",
  "page-name.json",
  "agent-processes.json",
];

/** The files of the hub grow with what people allow and attach, and a repository brings none of them. */
const MAX_OWN_BYTES = 64 * MAX_SETTINGS_BYTES;

export function readState({ path, writer }: Pick<GuardedFile, "path" | "writer">): FileState {
  const file = readRegularFile(path, writer === "anyone" ? MAX_SETTINGS_BYTES : MAX_OWN_BYTES);
  if (file === undefined) return {};
  if (!("fault" in file)) return { mode: file.stats.mode & 0o7777, text: file.bytes.toString("utf8") };
  const mode = modeOf(path);
  return { ...(mode !== undefined && { mode }), ...(!file.isDenied && { unread: file.fault }) };
}

function modeOf(path: string): number | undefined {
  try {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    return mode === undefined ? undefined : mode & 0o7777;
  } catch {
    return undefined;
  }
}

/** The files of the hub itself. `attach`: the folder of attached agents' files. */
export function hubFiles(state: string, attach: string): GuardedFile[] {
  const key = { ...ownFile(join(attach, KEY_FILE), "hub", "The key of attached agents"), fix: { run: "hookline token rotate" } };
  const record = ownFile(join(attach, RECORD_FILE), "commands", "The record of attached agents");
  return [...HUB_FILES.map((name) => ownFile(join(state, name), "hub", `The hub's file ${name}`)), key, record];
}

/** Only Hookline writes it, so any other content is wrong. */
function ownFile(path: string, writer: "hub" | "commands", title: string): GuardedFile {
  return {
    path,
    writer,
    bits: OTHERS,
    fix: RESTART,
    fault(now, good) {
      if (now.text === good?.text) return undefined;
      if (now.text === undefined) return `${title} was removed, and not by Hookline.`;
      return `${title} ${good?.text === undefined ? "appeared" : "was changed"}, and not by Hookline.`;
    },
    restore(_, { text }) {
      if (text !== undefined) replacePrivately(dirname(path), basename(path), text);
    },
  };
}

/** One file for each path: a file can hold our entries and several settings that switch them off. */
export function combined(files: readonly GuardedFile[]): Map<string, GuardedFile> {
  const byPath = new Map<string, GuardedFile>();
  for (const file of files) {
    const first = byPath.get(file.path);
    byPath.set(file.path, first === undefined ? file : both(first, file));
  }
  return byPath;
}

function both(first: GuardedFile, second: GuardedFile): GuardedFile {
  return {
    ...first,
    fault(now, good) {
      const faults = [first.fault(now, good), second.fault(now, good)].filter((fault) => fault !== undefined);
      return faults.length === 0 ? undefined : faults.join(" ");
    },
    silences: (now) => first.silences?.(now) ?? second.silences?.(now),
    restore(now, good) {
      if (first.fault(now, good) !== undefined) first.restore(now, good);
      const next = readState(first);
      if (second.fault(next, good) !== undefined) second.restore(next, good);
    },
  };
}
