import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { loads } from "./loaded-commands.js";

beforeEach(() => {
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(testFolder(), "none"));
  return () => vi.unstubAllEnvs();
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const plain = (skills: string) => write(join(skills, "plain/SKILL.md"), "Runs nothing.\n");

const cases: readonly [what: string, make: (skills: string) => void, expected: object][] = [
  ["a skill without commands", plain, { commands: [] }],
  ["no file", () => {}, { commands: [], unknown: 'No file of "plain" was found.' }],
  [
    "links to the folder itself",
    (skills) => {
      plain(skills);
      for (const name of ["a", "b", "c", "d", "e"]) symlinkSync(".", join(skills, name));
    },
    { commands: [] },
  ],
  [
    "a link to a folder below a skill",
    (skills) => {
      plain(skills);
      symlinkSync("..", join(skills, "plain/up"));
    },
    { commands: [], unknown: expect.stringMatching(/up" is a link to a folder/) },
  ],
  [
    "a skill that is a link",
    (skills) => {
      write(join(skills, "../../plain/SKILL.md"), "!`make`\n");
      mkdirSync(skills, { recursive: true });
      symlinkSync("../../plain", join(skills, "plain"));
    },
    { commands: [expect.stringMatching(/SKILL\.md: make$/)] },
  ],
  [
    "a link to itself",
    (skills) => {
      plain(skills);
      symlinkSync("x", join(skills, "x"));
    },
    { unknown: expect.stringContaining("ELOOP") },
  ],
  ["a large file", (skills) => write(join(skills, "plain/SKILL.md"), " ".repeat(1_048_577)), { unknown: expect.stringContaining("limit") }],
  [
    "a pipe",
    (skills) => {
      mkdirSync(join(skills, "plain"), { recursive: true });
      execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(skills, "plain/SKILL.md")]);
    },
    { commands: [], unknown: expect.stringContaining("not a regular file") },
  ],
  [
    "2,001 other files",
    (skills) => {
      plain(skills);
      for (let n = 0; n < 2_001; n++) writeFileSync(join(skills, `${n}.md`), "");
    },
    { unknown: expect.stringContaining("2000 files") },
  ],
  [
    "a name behind 4 kB of other fields",
    (skills) => write(join(skills, "x/SKILL.md"), `---\nabout: ${"x".repeat(5_000)}\nname: plain\n---\n!\`make\`\n`),
    { commands: [expect.stringMatching(/SKILL\.md: make$/)] },
  ],
  [
    "60 commands",
    (skills) => write(join(skills, "plain/SKILL.md"), Array.from({ length: 60 }, (_, n) => `!\`make ${n}\``).join("\n")),
    { unknown: "10 more commands are not shown." },
  ],
];
it.skipIf(process.platform === "win32").each(cases)("knows what a skill runs, or that it cannot know: %s", (_, make, expected) => {
  const cwd = testFolder();
  make(join(cwd, ".claude/skills"));
  const tool = { name: "Skill", input: { skill: "plain" } };
  expect(loads({ event: "tool:before", payload: { cwd, tool } })).toMatchObject(expected);
});

it("does not search above a folder that is in no repository", () => {
  const above = testFolder();
  write(join(above, ".claude/skills/plain/SKILL.md"), "!`make`\n");
  const [cwd, tool] = [join(above, "part"), { name: "Skill", input: { skill: "plain" } }];
  mkdirSync(cwd);
  const found = () => loads({ event: "tool:before", payload: { cwd, tool } }).commands.length;
  expect(found()).toBe(0);
  mkdirSync(join(above, ".git"));
  expect(found()).toBe(1);
});
