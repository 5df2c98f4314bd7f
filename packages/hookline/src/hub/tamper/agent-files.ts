import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Fix, HookError } from "@hookline/core";
import { replacePrivately } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import { isFault, isFolder, openVariables, writtenIn } from "../../agents/attach/agent-faults.js";
import { attachedOf, projectOf } from "../../agents/attach/attached.js";
import { readAgentFile, replaceAgentFile } from "../../agents/install/agent-file.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { splitMark, whoseIs } from "../../agents/install/file-owner.js";
import { hashOf, type Installed, keepBackup } from "../../agents/install/installed.js";
import { planEdit, readTarget } from "../../agents/install/plan-edit.js";
import { entriesFor, ourEvents } from "../../agents/install/remove-hooks.js";
import type { AttachTarget, OffSwitch } from "../../agents/shared/definition.js";
import { type AgentSurface, findingsIn, type SurfaceFile, type SurfaceFinding, unreadable } from "../../agents/shared/surface.js";
import { type FileState, type GuardedFile, OTHERS } from "./guarded-files.js";

const OTHERS_WRITE = 0o022;

/** The files of one attached agent: those with our entries, those that can switch the entries off, and the scripts that the entries run. */
export function agentFiles(attach: string, installed: Installed, env: NodeJS.ProcessEnv): GuardedFile[] {
  const { agent, scope, path, client } = installed;
  const { title = agent, install } = findAgent(agent) ?? {};
  const target = scope === "project" || scope === "managed" ? scope : "user";
  const fix = repair(installed);
  const switches = install?.offSwitches?.({ path, target, env }) ?? [];
  const isAlone = (file: string): boolean => !switches.some((off) => off.path === file);
  return [
    {
      path,
      agent,
      writer: "anyone",
      bits: OTHERS_WRITE,
      fix,
      fault: (now) => entriesFault(title, installed, now),
      restore: (now, good) => restoreEntries(attach, installed, now, good),
    },
    ...switches.map((off) => switchFile(attach, off, { agent, scope, fix, fault: switchCheck(title, off) })),
    ...(install?.startUpFiles?.(env) ?? []).map((file) => startUpFile(file, agent, title)),
    ...surfaceFiles(attach, agent, { level: "user", target, place: { env, cwd: homedir() }, isAlone }),
    ...(client === undefined ? [] : [clientFile(attach, installed, client)]),
  ];
}

/** The hub cannot tell what a shell makes of such a file, so each change is told. It is the user's own, so it is not put back. */
function startUpFile(path: string, agent: string, title: string): GuardedFile {
  return {
    path,
    agent,
    writer: "anyone",
    bits: OTHERS_WRITE,
    fix: { run: `hookline attach ${agent} --check` },
    fault: (now, good) =>
      good === undefined || now.text === good.text
        ? undefined
        : `The file was changed, and the shell that runs the hooks of ${title} runs it first: it can skip them.`,
    restore() {},
  };
}

/** The files of a project that can switch off an agent's hooks in this folder. A repository brings them, so they do not count as the choice of the user. */
export function projectFiles(attach: string, agent: string, { folder, target, env }: ProjectPlace): GuardedFile[] {
  const { title, install } = findAgent(agent) ?? {};
  const switches = (install?.projectSwitches?.(folder) ?? []).map((off) =>
    switchFile(attach, off, {
      agent,
      scope: "project",
      fix: `Remove the setting from "${off.path}", and start the agent again.`,
      fault: (now) => switchFault(title ?? agent, off, now),
    }),
  );
  const isAlone = (path: string): boolean => !switches.some((file) => file.path === path);
  return [...switches, ...surfaceFiles(attach, agent, { level: "project", target, place: { env, cwd: folder }, isAlone })];
}

interface ProjectPlace {
  readonly folder: string;
  /** Where the agent is attached. */
  readonly target: AttachTarget;
  readonly env: NodeJS.ProcessEnv;
}

interface SurfacePlaces {
  readonly level: SurfaceFile["level"];
  readonly target: AttachTarget;
  readonly place: Parameters<AgentSurface["files"]>[0];
  /** Whether nothing else watches the file. */
  readonly isAlone: (path: string) => boolean;
}

/** The files that decide whether hooks run as they were written. They are their owner's, so they are not put back. */
function surfaceFiles(attach: string, id: string, { level, target, place, isAlone }: SurfacePlaces): GuardedFile[] {
  const agent = findAgent(id);
  if (agent === undefined) return [];
  const reader = { ...agent, variables: openVariables(agent, target) };
  const isOurs = target === "managed" ? () => true : writtenIn(attach);
  const files = agent.install.surface?.files(place) ?? [];
  return files
    .filter((file) => file.level === level)
    .map((file) => {
      const find = remembered((text) => findingsIn(reader, file, text, (entry) => isOurs(file.path, entry)));
      const textsOf = ({ text = "", unread }: FileState, isMeant: (one: SurfaceFinding) => boolean): string | undefined => {
        const found = unread === undefined ? find(text) : isFolder(file.path) ? [] : [unreadable(file.path, unread)];
        const texts = found.filter(isMeant).map((one) => one.text);
        return texts.length === 0 ? undefined : texts.join(" ");
      };
      return {
        path: file.path,
        agent: id,
        writer: "anyone",
        bits: 0,
        fix: `Read "${file.path}", and remove what you do not know.`,
        // A switch in the same file says so already.
        fault: (now) => (now.unread !== undefined && !isAlone(file.path) ? undefined : textsOf(now, ({ kind }) => kind !== "malformed")),
        silences: (now) => textsOf(now, isFault),
        restore() {},
      };
    });
}

/** The result for the last text: each call of a strict agent asks again. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    last = last?.text === text ? last : { text, result: read(text) };
    return last.result;
  };
}

/** The command that writes our entries again. */
function repair({ agent, path, scope, ...rest }: Installed): Fix {
  const { isStrict } = attachedOf({ agent, path, scope, ...rest });
  if (scope === "managed") return { run: `sudo hookline attach --managed ${agent}` };
  const attach = `hookline attach ${agent}${isStrict ? " --strict" : ""}`;
  return { run: scope === "project" ? `cd ${shellWord(projectOf({ agent, path }))} && ${attach} --project` : attach };
}

/** What is missing of our entries, read as the agent reads the file. */
function entriesFault(title: string, { entries, marks, syntax }: Installed, { text, unread }: FileState): string | undefined {
  const result = `so ${title} is not guarded.`;
  if (unread !== undefined) return `The file with Hookline's entries cannot be read, so ${title} may not be guarded. ${unread}`;
  if (text === undefined) return `The file with Hookline's entries was removed, ${result}`;
  try {
    const { body } = splitMark(text);
    const changes = Object.entries(entries).flatMap(([event, wanted]) => {
      const found = entriesFor(body, { marks, syntax }, event)?.ours ?? [];
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

/** Why our entries do not work with this file, or may not. */
export function switchFault(title: string, off: OffSwitch, { text = "", unread }: FileState): string | undefined {
  if (unread !== undefined) return `The hub cannot read this file, and with it ${title} may run no hook. ${unread}`;
  return off.isOff(text) ? `${title} ${off.says}.` : undefined;
}

/** Hooks that were off when this began are the user's own choice: attach and doctor tell of it. */
function switchCheck(title: string, off: OffSwitch): GuardedFile["fault"] {
  let wasOff: boolean | undefined;
  return (now) => {
    const fault = switchFault(title, off, now);
    if (now.unread !== undefined) return fault;
    wasOff = (wasOff ?? fault !== undefined) && fault !== undefined;
    return wasOff ? undefined : fault;
  };
}

interface SwitchOptions extends Pick<GuardedFile, "fix" | "fault"> {
  readonly agent: string;
  readonly scope: string;
}

function switchFile(attach: string, off: OffSwitch, { agent, scope, fix, fault }: SwitchOptions): GuardedFile {
  return {
    path: off.path,
    agent,
    writer: "anyone",
    bits: OTHERS_WRITE,
    fix,
    fault,
    restore(now, { text: good, mode = 0o600 }) {
      // What the agent reads there is not known, so nothing of it could be kept.
      if (now.unread !== undefined) return;
      const file = readAgentFile(off.path);
      const restored = file.text === undefined ? good : off.turnedOn(file.text, good ?? "");
      if (restored === undefined || off.isOff(restored)) return;
      if (file.text === undefined) return void replaceAgentFile(file, restored, mode);
      keepBackup(attach, { agent, scope, path: off.path }, file.text);
      replaceAgentFile(file, restored);
    },
  };
}

function restoreEntries(attach: string, installed: Installed, now: FileState, good: FileState): void {
  const { agent, scope, path, entries, marks, syntax, own } = installed;
  const isReadable = now.text === undefined || canParse(now.text, installed);
  if (!isReadable && now.text !== undefined && good.text !== undefined) {
    // Entries cannot be put into a text that is not JSON. What was in the file is kept.
    keepBackup(attach, installed, now.text);
    return void replaceAgentFile(readTarget({ agent, scope, path }), good.text);
  }
  if (own !== null && now.text !== undefined && isReadable && whoseIs(now.text, { marks, syntax, own }) === "foreign") {
    // A file of ours alone without any entry of ours counts as another program's, which attach does not touch.
    keepBackup(attach, installed, now.text);
    // The whole file is ours. A link to it stays.
    if (good.text !== undefined) return void replaceAgentFile(readTarget({ agent, scope, path }), good.text);
    rmSync(path);
  }
  applyEdit(attach, planEdit(attach, { agent, scope, path }, { entries, marks, syntax, ...(own !== null && { own }) }));
}

function canParse(text: string, ours: Installed): boolean {
  try {
    return ourEvents(splitMark(text).body, ours) !== undefined;
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
    // Its hash is in the record, so no command needs to announce it.
    writer: "anyone",
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
