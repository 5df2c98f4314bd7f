import { closeSync, constants, existsSync, fstatSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { errorText } from "@hookline/core";
import { openFolder, openPrivate, readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import { projectFolder } from "../../extensions/trust/folder-path.js";
import type { Rule } from "../../rules/rule.js";
import { RuleState, type StateChange } from "../../rules/state/rule-state.js";
import { stateFault } from "../../rules/state/state-condition.js";
import type { Fault } from "../protocol.js";

const FILE = "rule-state.log";
/** Beside the store: shows that there was a file, so that removing it does not reset what was counted. */
const NOTED = "rule-state.noted";
const MAX_BYTES = 64 * 1_048_576;
/** A file that has grown to this, and to twice its last snapshot, is replaced by a snapshot. */
const COMPACT_BYTES = 1_048_576;

interface RuleStateFileOptions {
  /** The state folder. */
  readonly folder: string;
  /** The folder of the store. */
  readonly data: string;
  readonly onProblem: (text: string) => void;
}

export interface RuleStateFile {
  readonly state: RuleState;
  /** What is wrong with the record. */
  faults(): readonly Fault[];
  /** Forgets what a rule depends on, or everything, also what could not be read. */
  reset(rule?: Rule): void;
  close(): void;
}

/**
 * What rules remember, in the state folder: one line per change, appended before the decision is made, so that a killed hub knows all that it
 * decided. Each line has a checksum. A damaged or missing file makes every rule fail that depends on it, until an operator resets it.
 */
export function openRuleState({ folder, data, onProblem }: RuleStateFileOptions): RuleStateFile {
  let fd: number | undefined;
  let bytes = 0;
  let limit = COMPACT_BYTES;
  let isTold = false;
  const state = new RuleState({ projectOf: projectFolder, onChange: append });

  function append(change: StateChange): void {
    // Nothing may be written behind lines that cannot be read.
    if (state.fault !== undefined) return;
    try {
      bytes += writeSync(fd ?? open(), lineOf(change));
      if (bytes > limit) compact();
    } catch (error) {
      if (!isTold) onProblem(`What rules remember cannot be stored, so a restart of the hub forgets the latest part: ${errorText(error)}`);
      isTold = true;
    }
  }

  function open(): number {
    const path = join(openFolder(folder), FILE);
    replacePrivately(openFolder(data), NOTED, "1\n");
    fd = openPrivate(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
    bytes = fstatSync(fd).size;
    return fd;
  }

  function compact(): void {
    const text = [...state.snapshot()].map(lineOf).join("");
    replacePrivately(openFolder(folder), FILE, text);
    closeFile();
    open();
    limit = Math.max(COMPACT_BYTES, 2 * bytes);
  }

  function closeFile(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  }

  function load(): void {
    const read = readPrivately(folder, FILE, { maxBytes: MAX_BYTES });
    if (read.state === "none" && !existsSync(join(data, NOTED))) return;
    const fault = read.state === "found" ? replay(read.bytes.toString("utf8")) : read.state === "none" ? "it is gone" : read.reason;
    if (fault === undefined) return;
    state.fault = stateFault(`What rules remember cannot be used ("${join(folder, FILE)}": ${fault}). Rules that depend on it deny.`);
    onProblem(errorText(state.fault));
  }

  /** Says what is wrong. A last line without its end was being written when the hub was killed, and was never relied on. */
  function replay(text: string): string | undefined {
    const lines = text.split("\n");
    const torn = lines.pop() ?? "";
    const changes = lines.map(changeIn);
    const wrong = changes.indexOf(undefined);
    if (wrong >= 0) return `line ${wrong + 1} is damaged`;
    for (const change of changes as readonly StateChange[]) state.apply(change);
    if (torn !== "") compact();
    return undefined;
  }

  load();
  return {
    state,
    faults() {
      if (state.fault === undefined) return [];
      const effect = "Rules with count, after, repeats or budget fail, and guards among them deny.";
      const place = { name: FILE, file: join(folder, FILE), run: "hookline rules reset" };
      return [{ kind: "config", state: "broken", ...place, what: state.fault.message, effect, denies: true, isEdit: false }];
    },
    reset(rule) {
      if (rule !== undefined) return forgetFor(rule, state);
      closeFile();
      if (existsSync(join(folder, FILE))) renameSync(join(folder, FILE), join(folder, `${FILE}.damaged`));
      state.fault = undefined;
      state.forget("all");
    },
    close: closeFile,
  };
}

function forgetFor({ name, after, repeats, budget }: Rule, state: RuleState): void {
  for (const rule of [name, ...(after === undefined ? [] : [after])]) state.forget({ rule });
  if (repeats !== undefined) state.forget("results");
  if (budget !== undefined) state.forget("usage");
}

function lineOf(change: StateChange): string {
  const text = JSON.stringify(change);
  return `${checksum(text)} ${text}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

const KINDS: readonly string[] = ["match", "result", "usage", "parent", "forget", "series", "repeats", "spent"] satisfies StateChange[0][];

function changeIn(line: string): StateChange | undefined {
  const text = line.slice(9);
  if (line[8] !== " " || checksum(text) !== line.slice(0, 8)) return undefined;
  try {
    const change: unknown = JSON.parse(text);
    return Array.isArray(change) && KINDS.includes(change[0] as string) ? (change as unknown as StateChange) : undefined;
  } catch {
    return undefined;
  }
}
