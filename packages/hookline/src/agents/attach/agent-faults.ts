import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { readRegularFile } from "../../machine/regular-file.js";
import { readInstalled } from "../install/installed.js";
import type { AgentDefinition, AgentInstall, AttachTarget } from "../shared/definition.js";
import { findingsIn, type SurfaceFile, type SurfaceFinding, type SurfaceVariable, unreadable } from "../shared/surface.js";

type FaultSetting = Parameters<NonNullable<AgentInstall["faults"]>>[0];

/** What prevents its hooks from running now: one sentence each. */
export function agentFaults(agent: AgentDefinition, setting: FaultSetting): readonly string[] {
  return [...new Set([...(agent.install.faults?.(setting) ?? []), ...surfaceFaults(agent, setting)])];
}

/** What in the folder's or the user's files, or in the options, can keep hooks from running: one sentence each. */
export function surfaceFaults(agent: AgentDefinition, looked: Looked): readonly string[] {
  return lookAtSurface(agent, looked)
    .filter(isFault)
    .map(({ text }) => text);
}

/** What a person should know about the files that the agent reads for a session in this folder. It does not stop a hook. */
export function agentNotices(agent: AgentDefinition, setting: FaultSetting, folder: string): readonly string[] {
  const found = lookAtSurface(agent, setting, writtenIn(folder)).filter((one) => !isFault(one));
  return [...new Set(found.map(({ text }) => text))];
}

export function isFault({ kind }: SurfaceFinding): boolean {
  return kind === "silences" || kind === "unreadable";
}

interface Looked extends Pick<FaultSetting, "env" | "cwd" | "args"> {
  readonly target?: AttachTarget;
}

/** Reads every file of the agent's surface, and the settings in its options. */
function lookAtSurface(agent: AgentDefinition, { env, cwd, args = [], target = "user" }: Looked, isOurs = nobodys): SurfaceFinding[] {
  const { surface } = agent.install;
  if (surface === undefined) return [];
  const variables = openVariables(agent, target);
  const given = surface.given?.(args, cwd) ?? [];
  const texts = given.flatMap((file) => (file.text === undefined ? [] : findingsIn({ ...agent, variables }, file, file.text, () => false)));
  const files = [...surface.files({ env, cwd }), ...given.filter(({ text }) => text === undefined)];
  // The hooks of projects do not run beside managed ones.
  const isManaged = target === "managed";
  const found = files.flatMap((file) => readFindings({ ...agent, variables }, file, (entry) => isManaged || isOurs(file.path, entry)));
  return [...found, ...texts];
}

/** The variables that count: managed settings hold an empty value for some. */
export function openVariables({ install: { surface, managed } }: AgentDefinition, target: AttachTarget): readonly SurfaceVariable[] {
  const settings = target === "managed" && managed !== undefined && "path" in managed ? (managed.file.settings ?? []) : [];
  return (surface?.variables ?? []).filter(({ name }) => !settings.some(({ path }) => path.at(-1) === name));
}

type Reader = Parameters<typeof findingsIn>[0];

function readFindings(agent: Reader, file: SurfaceFile, isOurs: (entry: unknown) => boolean): SurfaceFinding[] {
  const read = readRegularFile(file.path);
  if (read === undefined) return [];
  if (!("fault" in read)) return findingsIn(agent, file, read.bytes.toString("utf8"), isOurs);
  return read.isDenied || isFolder(file.path) ? [] : [unreadable(file.path, read.fault)];
}

/** A folder named `.env` is common. No agent reads anything there. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether Hookline wrote an entry of a file. */
export type Writer = (path: string, entry: unknown) => boolean;

const nobodys: Writer = () => false;

/** By the record: an entry that only looks like one of ours does not count. */
export function writtenIn(folder: string): Writer {
  let record: ReturnType<typeof readInstalled> | undefined;
  return (path, entry) => {
    record ??= readInstalled(folder);
    const ours = record.filter((one) => one.path === path).flatMap(({ entries }) => Object.values(entries).flat());
    return ours.some((one) => isDeepStrictEqual(JSON.parse(JSON.stringify(one)), entry));
  };
}
