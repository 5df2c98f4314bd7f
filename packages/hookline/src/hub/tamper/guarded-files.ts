import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Fix, HookError } from "@hookline/core";
import { GATES_FILE, HUB_FILE, replaceFile, replacePrivately } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import { attachedOf, projectOf } from "../../agents/attach/attached.js";
import { KEY_FILE } from "../../agents/client/key-file.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { splitMark } from "../../agents/install/file-owner.js";
import { listOf, ourNodes, plainValue } from "../../agents/install/hook-lists.js";
import { hashOf, type Installed, keepBackup, RECORD_FILE } from "../../agents/install/installed.js";
import { parseDocument } from "../../agents/install/json-document.js";
import { planEdit } from "../../agents/install/plan-edit.js";
import type { OffSwitch } from "../../agents/shared/definition.js";
import { OPERATOR_FILE } from "../auth/read-operator-file.js";

/** A file as it is now. Without a text, there is no file that can be read. */
export interface FileState {
  readonly text?: string;
  readonly mode?: number;
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
  /** Makes it as it was, as far as it is ours. */
  restore(now: FileState, good: FileState): void;
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const RESTART: Fix = { run: "hookline down && hookline up --detach" };
/** The hub writes these, and reads some of them only when it starts. */
const HUB_FILES = [HUB_FILE, OPERATOR_FILE, GATES_FILE, "always-allow.json", "logins.json", "page-name.json", "agent-processes.json"];

export function readState(path: string): FileState {
  try {
    const stats = statSync(path);
    return { mode: stats.mode & 0o7777, ...(stats.isFile() && { text: readFileSync(path, "utf8") }) };
  } catch {
    return {};
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

/** The files of one attached agent: those with our entries, those that can switch the entries off, and the scripts that the entries run. */
export function agentFiles(attach: string, installed: Installed, env: NodeJS.ProcessEnv): GuardedFile[] {
  const { client } = installed;
  return [...settingsFiles(attach, installed, env), ...(client === undefined ? [] : [clientFile(attach, installed, client)])];
}

function settingsFiles(attach: string, installed: Installed, env: NodeJS.ProcessEnv): GuardedFile[] {
  const { agent, scope, path } = installed;
  const definition = findAgent(agent);
  const title = definition?.title ?? agent;
  const target = scope === "project" ? "project" : "user";
  const switches = definition?.install.offSwitches?.({ path, target, env }) ?? [];
  const common = { agent, writer: "anyone", bits: OTHERS_WRITE, fix: repair(installed) } as const;
  const own = switches.find((one) => one.path === path);
  const switchFault = switchCheck(title, own);
  return [
    {
      ...common,
      path,
      fault: (now) => entriesFault(title, installed, now) ?? switchFault(now),
      restore: (now, good) => restoreEntries(attach, { installed, off: own }, now, good),
    },
    ...switches
      .filter((one) => one !== own)
      .map(
        (off): GuardedFile => ({
          ...common,
          path: off.path,
          fault: switchCheck(title, off),
          restore(now, { text, mode = 0o600 }) {
            const restored = off.turnedOn === undefined || now.text === undefined ? text : off.turnedOn(now.text);
            if (restored !== undefined) replaceFile(off.path, restored, { mode });
          },
        }),
      ),
  ];
}

/** The command that writes our entries again. */
function repair({ agent, path, scope, ...rest }: Installed): Fix {
  const { isStrict } = attachedOf({ agent, path, scope, ...rest });
  const attach = `hookline attach ${agent}${isStrict ? " --strict" : ""}`;
  return { run: scope === "project" ? `cd ${shellWord(projectOf({ agent, path }))} && ${attach} --project` : attach };
}

/** What is missing of our entries, read as the agent reads the file. */
function entriesFault(title: string, { entries, marks, syntax }: Installed, { text }: FileState): string | undefined {
  const result = `so ${title} is not guarded.`;
  if (text === undefined) return `The file with Hookline's entries was removed, ${result}`;
  try {
    const document = parseDocument(splitMark(text).body, syntax);
    const changes = Object.entries(entries).flatMap(([event, wanted]) => {
      const list = listOf(document, event);
      const found = list === undefined ? [] : ourNodes(list, marks).map(({ node }) => plainValue(node));
      if (isDeepStrictEqual(found, JSON.parse(JSON.stringify(wanted)))) return [];
      return [{ event, isGone: found.length === 0 }];
    });
    const [gone, changed] = [changes.filter(({ isGone }) => isGone), changes.filter(({ isGone }) => !isGone)];
    const name = (list: typeof changes): string => list.map(({ event }) => event).join(", ");
    if (gone.length === Object.keys(entries).length && gone.length > 0) return `Hookline's entries were removed, ${result}`;
    if (gone.length > 0) return `Hookline's entries for ${name(gone)} were removed, so ${title} is not guarded there.`;
    return changed.length > 0 ? `Hookline's entries for ${name(changed)} were changed, so ${title} may not be guarded there.` : undefined;
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    return `${title} cannot read the file with Hookline's entries (${error.message}), ${result}`;
  }
}

/** Hooks that were off when this began are the user's own choice: attach and doctor tell of it. */
function switchCheck(title: string, off: OffSwitch | undefined): (now: FileState) => string | undefined {
  let wasOff: boolean | undefined;
  return ({ text = "" }) => {
    const isOff = off?.isOff(text) ?? false;
    wasOff = (wasOff ?? isOff) && isOff;
    return isOff && !wasOff ? `${title} ${off?.says}.` : undefined;
  };
}

interface OurEntries {
  readonly installed: Installed;
  readonly off: OffSwitch | undefined;
}

function restoreEntries(attach: string, { installed, off }: OurEntries, now: FileState, good: FileState): void {
  const { agent, scope, path, entries, marks, syntax, own } = installed;
  const isReadable = now.text === undefined || canParse(now.text, installed);
  if (!isReadable && now.text !== undefined && good.text !== undefined) {
    // Entries cannot be put into a text that is not JSON. What was in the file is kept.
    keepBackup(attach, installed, now.text);
    return replaceFile(path, good.text, { mode: good.mode ?? 0o600 });
  }
  if (now.text !== undefined && off?.turnedOn !== undefined && off.isOff(now.text))
    replaceFile(path, off.turnedOn(now.text), { mode: good.mode ?? 0o600 });
  applyEdit(attach, planEdit(attach, { agent, scope, path }, { entries, marks, syntax, ...(own !== null && { own }) }));
}

function canParse(text: string, { syntax }: Installed): boolean {
  try {
    return parseDocument(splitMark(text).body, syntax) !== undefined;
  } catch {
    return false;
  }
}

function clientFile(attach: string, installed: Installed, { name, hash }: NonNullable<Installed["client"]>): GuardedFile {
  const path = join(attach, name);
  const title = findAgent(installed.agent)?.title ?? installed.agent;
  return {
    path,
    agent: installed.agent,
    writer: "commands",
    bits: OTHERS,
    fix: repair(installed),
    fault({ text }) {
      if (text === undefined) return `The script that ${title} runs to ask the hub was removed.`;
      return hashOf(text) === hash ? undefined : `The script that ${title} runs to ask the hub was changed, and not by Hookline.`;
    },
    restore(_, { text }) {
      if (text !== undefined && hashOf(text) === hash) replacePrivately(attach, name, text);
    },
  };
}
