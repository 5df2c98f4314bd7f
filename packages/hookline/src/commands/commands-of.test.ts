import { describe, expect, it } from "vitest";
import { commandsOf } from "./commands-of.js";

const home = "/home/ann";
const deletes = (payload: unknown) => commandsOf({ payload }, { home }).flatMap((fact) => fact.deletes.map(({ path }) => path));
const programs = (payload: unknown) => commandsOf({ payload }, { home }).map(({ program }) => program);

describe("commandsOf", () => {
  const inputs: [string, string, unknown][] = [
    ["the text of a shell", "Bash", { command: "rm a" }],
    ["a list of words", "Bash", { command: ["rm", "a"] }],
    ["a list for a shell", "shell", { command: ["bash", "-lc", "rm a"] }],
    ["a list of one text", "shell", { command: ["rm a"] }],
    ["cmd", "exec_command", { cmd: "rm a" }],
    ["script", "any", { script: "rm a" }],
    ["a program and its arguments", "any", { command: "rm", args: ["a"] }],
    ["a list of commands", "any", { commands: ["ls", "rm a"] }],
    ["a list of commands as objects", "any", { commands: [{ command: "rm a" }] }],
    ["argv", "any", { argv: ["rm", "a"] }],
    ["the line of a terminal", "run_command", { CommandLine: "rm a" }],
    ["code of a shell", "execute", { language: "bash", code: "rm a" }],
    ["text typed into a shell", "write_bash", { input: "rm a\n" }],
    ["characters typed into a shell", "write_stdin", { chars: "rm a\n" }],
    ["input that is a text", "Bash", "rm a"],
  ];
  for (const [title, name, input] of inputs)
    it(`reads ${title}`, () => expect(deletes({ cwd: "/p", tool: { name, input } })).toEqual(["/p/a"]));

  it("reads every field", () => {
    expect(programs({ tool: { name: "x", input: { command: "a", cmd: "b", script: "c" } } })).toEqual(["a", "b", "c"]);
  });

  it("takes the folder from the call, then from the event", () => {
    for (const field of ["cwd", "workdir", "working_directory", "dir_path", "directory"])
      expect(deletes({ cwd: "/p", tool: { name: "Bash", input: { command: "rm a", [field]: "sub" } } })).toEqual(["/p/sub/a"]);
    expect(deletes({ cwd: "/p", tool: { name: "Bash", input: { command: "rm a", workdir: "/q" } } })).toEqual(["/q/a"]);
  });

  const others: [string, unknown][] = [
    ["a patch", { tool: { name: "Edit", runtimeName: "apply_patch", input: { command: "*** Begin Patch" } } }],
    ["a tool without a command", { tool: { name: "Read", input: { path: "/a" } } }],
    ["code of another language", { tool: { name: "execute", input: { language: "python", code: "rm a" } } }],
    ["an event without a tool", { prompt: "rm a" }],
    ["a tool without input", { tool: { name: "Bash" } }],
    ["no payload", undefined],
    ["an empty command", { tool: { name: "Bash", input: { command: "" } } }],
  ];
  for (const [title, payload] of others) it(`finds nothing in ${title}`, () => expect(commandsOf({ payload })).toEqual([]));

  it.each([
    ["a tool for PowerShell", { name: "Bash", runtimeName: "PowerShell", input: { command: "ri a" } }],
    ["PowerShell as a shell", { name: "shell", input: { command: "ri a", shell: "C:\\x\\pwsh.exe" } }],
  ])("reads the text of %s", (_, tool) => {
    expect(commandsOf({ payload: { tool, cwd: "/p" } })).toMatchObject([{ program: "rm", deletes: [{ path: "/p/a" }], via: ["ri"] }]);
  });

  const shells: [string, unknown][] = [["cmd.exe as a shell", { tool: { name: "shell", input: { command: "dir", shell: "cmd.exe" } } }]];
  for (const [title, payload] of shells)
    it(`does not read ${title}`, () => {
      const [fact, ...rest] = commandsOf({ payload });
      expect(rest).toEqual([]);
      expect(fact?.unknown.program).toContain("is not read");
    });

  const globs = (count: number) => Array.from({ length: count }, (_, i) => `/${i % 2 === 0 ? "a" : "b"}*${"?".repeat(27)}`).join(" ");
  const tooMany: [string, { readonly [field: string]: unknown }][] = [
    ["one command", { command: `rm ${globs(1900)} /etc/hosts` }],
    [
      "many commands",
      {
        command: Array.from({ length: 500 }, () => `rm ${globs(2)}`)
          .join("; ")
          .concat("; rm /etc/hosts"),
      },
    ],
    ["several texts", { commands: [`rm ${globs(200)}`, `rm ${globs(200)}`, "rm /etc/hosts"] }],
    ["one long name", { command: `rm /${"*a".repeat(15_000)} /etc/hosts` }],
  ];
  for (const [title, input] of tooMany)
    it(`limits the patterns of a call: ${title}`, () => {
      const facts = commandsOf({ payload: { tool: { name: "Bash", input } } }, { home });
      const paths = facts.flatMap((fact) => fact.deletes);
      expect(paths.reduce((sum, { path, glob }) => sum + (glob === true ? path.length : 0), 0)).toBeLessThan(10_000);
      expect(paths).toContainEqual({ path: "/etc/hosts" });
      expect(facts.at(-1)?.unknown.deletes).toMatch(/^the command has more than \d+ characters of patterns$/);
    });

  it("keeps the patterns of an ordinary call", () => {
    const facts = commandsOf({ payload: { tool: { name: "Bash", input: { command: `rm ${globs(200)}` } } } }, { home });
    expect(facts).toHaveLength(1);
    expect(facts[0]?.deletes).toHaveLength(200);
  });

  it("computes facts once, and again when the command has changed", () => {
    const input = { command: "rm a" };
    const event = { payload: { tool: { name: "Bash", input } } };
    const first = commandsOf(event);
    expect(commandsOf(event)).toBe(first);
    input.command = "rm b";
    expect(commandsOf(event)).not.toBe(first);
    expect(deletes(event.payload)).toEqual(["b"]);
  });

  it("sees a list that was changed in place", () => {
    const words = ["rm", "a"];
    const payload = { tool: { name: "Bash", input: { command: words } } };
    expect(deletes(payload)).toEqual(["a"]);
    words[1] = "b";
    expect(deletes(payload)).toEqual(["b"]);
  });
});
