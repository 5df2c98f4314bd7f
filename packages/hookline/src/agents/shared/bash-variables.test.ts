import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { BASH_VARIABLES } from "./bash-variables.js";

let folder: string;

beforeEach(() => {
  folder = testFolder();
  for (const name of [".bashrc", "quiet.sh"]) writeFileSync(join(folder, name), "exit 0\n");
  writeFileSync(join(folder, "bash"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(folder, "bash"), 0o755);
});

const ways: readonly [what: string, variables: (folder: string) => NodeJS.ProcessEnv][] = [
  // The input of a child process is a socket, as it is for a hook.
  [".bashrc", (home) => ({ HOME: home })],
  ["BASH_ENV", (home) => ({ BASH_ENV: join(home, "quiet.sh"), SHLVL: "3" })],
  ["SHELLOPTS", () => ({ SHELLOPTS: "noexec", SHLVL: "3" })],
  ["another Bash in PATH", (home) => ({ PATH: `${home}:/usr/bin:/bin` })],
];

it.each(ways)("keeps a hook's command from being skipped by %s", (_, variables) => {
  const run = (more: NodeJS.ProcessEnv): string => {
    const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", ...variables(folder), ...more };
    return spawnSync("bash", ["-c", "/bin/echo ran"], { env, encoding: "utf8", input: "{}" }).stdout;
  };
  expect(run({})).toBe("");
  expect(run(BASH_VARIABLES)).toBe("ran\n");
});
