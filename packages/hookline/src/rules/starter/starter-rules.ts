import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The sets of rules that come with Hookline. */
export const starterRules = [
  { name: "destructive-shell", summary: "rm -rf of the root or home folder, writes to disks, decoded commands" },
  { name: "secrets-in-prompts", summary: "tokens, private keys and passwords in what a person writes" },
  { name: "secrets-out", summary: "secrets that one MCP server has shown and another would get" },
  { name: "protected-paths", summary: "keys, .env files, and files that control what runs on this machine" },
  { name: "network-egress", summary: "curl | sh, uploads, the metadata service of a cloud" },
  { name: "git-history", summary: "force pushes, and commands that discard commits or changes" },
  { name: "databases", summary: "drops, truncates, deletes without where, resets that wipe a database" },
  { name: "infrastructure", summary: "terraform, kubectl, docker volumes, clouds, backups, published packages" },
  { name: "persistence", summary: "startup files, schedules, services, Git hooks, SSH keys" },
  { name: "self-protection", summary: "Hookline's own commands and secrets, and the files that agents' hooks depend on" },
] as const;

export type StarterName = (typeof starterRules)[number]["name"];

/**
 * What `hookline start` adds, and `hookline rules add recommended`: every set. The rules in `shadow` begin in shadow mode, because they ask about
 * everyday work and add little to the others: of 170 commands of a developer's week, `git-settings` asks about 2 that no other rule asks about
 * (`git config --global core.editor vim`), and `startup-files` only repeats the question of `protected-paths/system-files-shell`.
 */
export const recommended: {
  readonly name: string;
  readonly summary: string;
  readonly sets: readonly StarterName[];
  readonly shadow: readonly string[];
} = {
  name: "recommended",
  summary: "all sets; the few rules that ask about everyday work begin in shadow mode",
  sets: starterRules.map(({ name }) => name),
  shadow: ["persistence/startup-files", "persistence/startup-files-tools", "persistence/git-settings"],
};

export function isStarterName(name: string): name is StarterName {
  return starterRules.some((set) => set.name === name);
}

/** Sets to add together. */
export interface SetChoice {
  readonly sets: readonly StarterName[];
  /** Rules of them that begin in shadow mode. */
  readonly shadow: readonly string[];
}

/** The sets that these names stand for. Undefined if a name is neither a set nor `recommended`. A set that is named itself decides from the start. */
export function chooseSets(names: readonly string[]): SetChoice | undefined {
  if (!names.every((name) => name === recommended.name || isStarterName(name))) return undefined;
  if (!names.includes(recommended.name)) return { sets: [...new Set(names.filter(isStarterName))], shadow: [] };
  return { sets: recommended.sets, shadow: recommended.shadow.filter((rule) => !names.includes(setOf(rule))) };
}

function setOf(rule: string): string {
  return rule.slice(0, rule.indexOf("/"));
}

/** Sets in the form that is added to a hookline.toml. */
export function readSets({ sets, shadow }: SetChoice): string {
  const text = sets.map(readStarterRules).join("\n");
  return shadow.reduce((all, rule) => all.replace(`\nname = "${rule}"\n`, (line) => `${line}mode = "shadow"\n`), text);
}

/** The path of a set in this package. */
export function starterPath(name: StarterName): string {
  return fileURLToPath(new URL(`../../../rules/${name}.toml`, import.meta.url));
}

/** A set in the form that is added to a hookline.toml. */
export function readStarterRules(name: StarterName): string {
  return readFileSync(starterPath(name), "utf8");
}
