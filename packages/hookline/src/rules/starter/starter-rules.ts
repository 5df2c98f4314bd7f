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

export function isStarterName(name: string): name is StarterName {
  return starterRules.some((set) => set.name === name);
}

/** The path of a set in this package. */
export function starterPath(name: StarterName): string {
  return fileURLToPath(new URL(`../../../rules/${name}.toml`, import.meta.url));
}

/** A set in the form that is added to a hookline.toml. */
export function readStarterRules(name: StarterName): string {
  return readFileSync(starterPath(name), "utf8");
}
