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

it("the rules of self-protection know every command that operates", async () => {
  // To start the hub adds guards, and agents' documentation tells them to.
  const commands = (await typed(commandList, "hookline")).filter(([command]) => command !== "hookline up");
  expect(commands.length).toBeGreaterThan(50);
  const facts = (command: string) => commandsOf({ payload: { tool: { name: "Bash", input: { command } } } });
  const known = commands.map(([command]) => [command, facts(command).some(({ destroys }) => destroys.includes("guards"))]);
  expect(known.filter(([, operates], index) => operates !== commands[index]?.[1])).toEqual([]);
});
