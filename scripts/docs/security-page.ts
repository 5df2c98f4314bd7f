import { commandList } from "../../packages/hookline/dist/cli/command-list.js";
import type { ListedCommand } from "../../packages/hookline/dist/cli/command-module.js";
import { accessOf } from "../../packages/hookline/dist/hub/auth/access.js";
import { code, codes } from "./markdown.ts";

const BLOCK = /<!-- generated: commands -->\n[\s\S]*?<!-- end -->/;
const ACCESSES = ["operate", "ask", "read"] as const;

const commands = await leaves("hookline", commandList);

/** `docs/security.md`: the prose as it is, and between its markers the commands by what they do to the guards. */
export function securityPage(current: string): string {
  const list = ACCESSES.map((access) => `- ${code(access)}: ${commandsWith(access)}`).join("\n");
  return current.replace(BLOCK, `<!-- generated: commands -->\n\n${list}\n\n<!-- end -->`);
}

/** Commands that run, with their whole names. */
async function leaves(prefix: string, list: readonly ListedCommand[]): Promise<readonly ListedCommand[]> {
  const found: ListedCommand[] = [];
  for (const listed of list) {
    const name = `${prefix} ${listed.name}`;
    // A group declares the access on its subcommands. To load all commands takes seconds.
    const command = listed.access === undefined ? (await listed.load()).command : listed;
    if ("subcommands" in command) found.push(...(await leaves(name, command.subcommands)));
    else found.push({ ...listed, name });
  }
  return found;
}

function commandsWith(access: (typeof ACCESSES)[number]): string {
  const named = commands.flatMap((command) => {
    const name = command.name.replace("hookline ", "");
    const [operating, reading] = [command.operatesWith ?? [], command.readsWith ?? []];
    if (accessOf(command) === access) return [reading.length === 0 ? name : `${name} (without ${reading.map(option).join(", ")})`];
    if (access === "operate") return operating.map((key) => `${name} ${option(key)}`);
    return access === "read" ? reading.map((key) => `${name} ${option(key)}`) : [];
  });
  return codes(named);
}

/** `dryRun` is `--dry-run`. */
function option(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
