import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { agents } from "../agents.js";

const places: readonly [what: string, make: (path: string) => void][] = [
  ["a pipe", (path) => void execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path])],
  ["a link to a device", (path) => symlinkSync("/dev/zero", path)],
];
const cases = agents
  .filter(({ install }) => install.projectSwitches !== undefined)
  .flatMap((agent) => places.map(([what, make]) => [agent.title, what, agent, make] as const));

it.skipIf(process.platform === "win32").each(cases)(
  "%s: reports %s in the place of a project's settings, and does not read it",
  (...row) => {
    const [, , { install }, make] = row;
    const cwd = testFolder();
    const [first] = install.projectSwitches?.(cwd) ?? [];
    const path = first?.path ?? "";
    mkdirSync(dirname(path), { recursive: true });
    make(path);
    const own = install.settingsPath("user", { HOME: cwd }, cwd);
    const faults = install.faults?.({ path: own, target: "user", env: { HOME: cwd }, cwd, settings: {} }) ?? [];
    expect(faults).toContain(`${path} may switch hooks off, and Hookline cannot read it: This is not a regular file.`);
  },
);
