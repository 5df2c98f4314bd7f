import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../test/support/install-packages.ts";

/** The version before the newest work on speed: rates are ratios to what it does in the same run. */
const COMMIT = "e48ebbbdbff173c376b55a5a8209c9cb23f673f9";
const PARTS = ["bench", "packages/core", "packages/hookline", "tsconfig.base.json", "package.json"];
const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of the previous version, built. The next run finds it in the cache. */
export function buildPrevious(say: (progress: string) => void): string {
  const folder = join(cacheFolder("previous", process.env.HOOKLINE_PREVIOUS_CACHE), COMMIT.slice(0, 12));
  if (existsSync(folder)) return folder;
  say(`building the version of commit ${COMMIT.slice(0, 12)} in ${folder}`);
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const archive = execFileSync("git", ["archive", COMMIT, "--", ...PARTS], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x"], { cwd: draft, input: archive });
  linkPackages(draft);
  for (const project of ["packages/core", "packages/hookline"])
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-b", project], { cwd: draft, stdio: "inherit" });
  renameSync(draft, folder);
  return folder;
}

/** Its own packages, and the dependencies that are installed here. */
function linkPackages(folder: string): void {
  const own = join(folder, "node_modules");
  mkdirSync(join(own, "@hookline"), { recursive: true });
  symlinkSync("../../packages/core", join(own, "@hookline/core"));
  symlinkSync("../packages/hookline", join(own, "hookline"));
  const installed = join(root, "node_modules");
  for (const name of readdirSync(installed))
    if (!existsSync(join(own, name)) && !name.startsWith(".")) symlinkSync(join(installed, name), join(own, name));
  symlinkSync(join(installed, ".bin"), join(own, ".bin"));
}
