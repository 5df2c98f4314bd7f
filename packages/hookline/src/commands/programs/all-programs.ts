import type { ProgramEntry } from "../program-entry.js";
import { agentPrograms } from "./agents.js";
import { archivePrograms } from "./archives.js";
import { cloudPrograms } from "./clouds.js";
import { containerPrograms } from "./containers.js";
import { databasePrograms } from "./databases.js";
import { environmentPrograms } from "./environments.js";
import { filePrograms } from "./files.js";
import { gitPrograms } from "./git.js";
import { infrastructurePrograms } from "./infrastructure.js";
import { interpreterPrograms } from "./interpreters.js";
import { kubernetesPrograms } from "./kubernetes.js";
import { macosPrograms } from "./macos.js";
import { networkPrograms } from "./network.js";
import { packagePrograms } from "./packages.js";
import { searchPrograms } from "./search.js";
import { shellPrograms } from "./shells.js";
import { storagePrograms } from "./storage.js";
import { systemPrograms } from "./system.js";
import { textPrograms } from "./text.js";
import { transferPrograms } from "./transfers.js";
import { wrapperPrograms } from "./wrappers.js";

/** Every program that facts know. */
export const allPrograms: readonly ProgramEntry[] = [
  ...filePrograms,
  ...gitPrograms,
  ...networkPrograms,
  ...transferPrograms,
  ...searchPrograms,
  ...shellPrograms,
  ...wrapperPrograms,
  ...environmentPrograms,
  ...archivePrograms,
  ...textPrograms,
  ...systemPrograms,
  ...storagePrograms,
  ...packagePrograms,
  ...macosPrograms,
  ...databasePrograms,
  ...cloudPrograms,
  ...agentPrograms,
  ...kubernetesPrograms,
  ...interpreterPrograms,
  ...infrastructurePrograms,
  ...containerPrograms,
];

interface NamedEntry {
  readonly entry: ProgramEntry;
  readonly family: string;
}

const byName: ReadonlyMap<string, NamedEntry> = new Map(
  allPrograms.flatMap((entry) => [
    ...entry.names.map((name) => [name, { entry, family: entry.names[0] }] as const),
    ...(entry.also ?? []).map((name) => [name, { entry, family: name }] as const),
  ]),
);

function findNamed(name: string): NamedEntry | undefined {
  return byName.get(name) ?? byName.get(name.replace(/[-.\d]+$/, ""));
}

/** The entry of a program by its base name; `python3.11` has that of `python`. */
export function findProgram(name: string): ProgramEntry | undefined {
  return findNamed(name)?.entry;
}

/** The first name of the program: `docker` for podman. A program without an entry is its own family. */
export function familyOf(name: string): string {
  return findNamed(name)?.family ?? name;
}

/** The name in the spelling of its entry: on some systems `RM` runs rm. Other names stay as they are. */
export function knownSpelling(name: string): string {
  if (byName.has(name)) return name;
  const small = name.toLowerCase();
  return small !== name && byName.has(small) ? small : name;
}
