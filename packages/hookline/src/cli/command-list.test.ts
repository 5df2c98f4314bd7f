import { Command } from "commander";
import { expect, it } from "vitest";
import { commandsOf } from "../commands/commands-of.js";
import { commandList } from "./command-list.js";
import type { ListedCommand } from "./command-module.js";

/** Each command with its options that decide, as a person types it, and whether it operates. */
async function typed(list: readonly ListedCommand[], before: string): Promise<readonly (readonly [command: string, operates: boolean])[]> {
  const all = await Promise.all(
    list.map(async ({ name, access, operatesWith = [], readsWith = [], load }) => {
      const { command } = await load();
      const text = `${before} ${name}`;
      if ("subcommands" in command) return typed(command.subcommands, text);
      const flag = (option: string) => `${text} --${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return [
        [text, access !== "read" && access !== "ask"] as const,
        ...operatesWith.map((option) => [flag(option), true] as const),
        ...readsWith.map((option) => [flag(option), false] as const),
      ];
    }),
  );
  return all.flat();
}

/** Each option of an operating command that takes a value, with `--help` as the value: the command runs, and shows no help. */
async function withHelpAsValue(list: readonly ListedCommand[], before: string): Promise<readonly string[]> {
  const all = await Promise.all(
    list.map(async ({ name, access, load }) => {
      const { command } = await load();
      const text = `${before} ${name}`;
      if ("subcommands" in command) return withHelpAsValue(command.subcommands, text);
      const defined = new Command();
      command.define(defined);
      const options = access === "read" || access === "ask" ? [] : defined.options.filter(({ required }) => required);
      return options.map(({ long, short }) => `${text} ${long ?? short} --help`);
    }),
  );
  return all.flat();
}

const facts = (command: string) => commandsOf({ payload: { tool: { name: "Bash", input: { command } } } });
const operates = (command: string): boolean => facts(command).some(({ destroys }) => destroys.includes("guards"));

it("the rules of self-protection know every command that operates", async () => {
  // To start the hub adds guards, and agents' documentation tells them to.
  const commands = (await typed(commandList, "hookline")).filter(([command]) => command !== "hookline up");
  expect(commands.length).toBeGreaterThan(50);
  expect(commands.filter(([command, isOperating]) => operates(command) !== isOperating)).toEqual([]);
});

it("they know which options take a value, which may look like an option that makes a command harmless", async () => {
  const commands = (await withHelpAsValue(commandList, "hookline")).filter((command) => !command.startsWith("hookline up "));
  expect(commands).toContain("hookline pause --reason --help");
  expect(commands.filter((command) => !operates(command))).toEqual([]);
});

it("they know the ways of the other commands to loosen what guards, and to write files", () => {
  for (const command of ["up --remote-approvals --host 0.0.0.0", "up --take-over", "up --interim", "backup --keys /tmp/x"])
    expect([command, operates(`hookline ${command}`)]).toEqual([command, true]);
  for (const command of ["export --force /x/settings.json", "export -n 5 /x/settings.json", "audit --html /x/settings.json"])
    expect([command, facts(`hookline ${command}`)[0]?.writes.map(({ path }) => path)]).toEqual([command, ["/x/settings.json"]]);
});
