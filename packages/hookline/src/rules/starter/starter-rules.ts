import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The sets of rules that come with Hookline. */
export const starterRules = [
  { name: "destructive-shell", summary: "rm -rf of the root or the home folder, disks, decoded commands" },
  { name: "secrets-in-prompts", summary: "tokens, private keys and passwords in what a person writes" },
  { name: "protected-paths", summary: "keys and .env files; what decides what runs on this machine" },
  { name: "network-egress", summary: "curl | sh, uploads, the metadata service of a cloud" },
  { name: "git-history", summary: "force pushes, and throwing commits or changes away" },
] as const;

type StarterName = (typeof starterRules)[number]["name"];

export function isStarterName(name: string): name is StarterName {
  return starterRules.some((set) => set.name === name);
}

/** Where a set stands in this package. */
export function starterPath(name: StarterName): string {
  return fileURLToPath(new URL(`../../../rules/${name}.toml`, import.meta.url));
}

/** A set as it is added to a hookline.toml. */
export function readStarterRules(name: StarterName): string {
  return readFileSync(starterPath(name), "utf8");
}
