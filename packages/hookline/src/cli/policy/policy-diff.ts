import { didYouMean, inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import type { PolicyAcceptAnswer, PolicyAnswer, PolicyChange } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import type { HubClient } from "../hub-client.js";
import { connectIfRunning } from "../hub-client.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { openOffline } from "./accept-own.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 1 when something waits.")
      .addHelpText("after", examples("hookline policy diff", "hookline policy diff --json | jq '.changes[].name'"));
  },

  async run(terminal, { json = false }) {
    const answer = await readPolicy(terminal, await connectIfRunning(terminal.env));
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else printChanges(answer, terminal);
    return answer.changes.length === 0 ? EXIT.ok : EXIT.failed;
  },
};

export const accept: CommandModule<{ readonly all?: boolean }> = {
  define(command) {
    command
      .argument("[names...]", "the rules and hooks to accept", text)
      .option("--all", "everything that waits")
      .addHelpText("after", "\nShows each change and puts it into force as it was shown.")
      .addHelpText("after", examples("hookline policy accept push-guard", "hookline policy accept --all"));
  },

  async run(terminal, { all = false }, names) {
    if (all === names.length > 0)
      throw new CliError("Name what to accept, or use --all.", { exitCode: EXIT.usage, fix: { run: "hookline policy diff" } });
    const hub = await connectIfRunning(terminal.env);
    const answer = await readPolicy(terminal, hub);
    const chosen = all ? answer.changes : names.flatMap((name) => named(answer.changes, name));
    if (chosen.length === 0) terminal.say("Nothing waits for your acceptance.");
    for (const change of chosen) printChange(change, terminal);
    if (chosen.length === 0) return EXIT.ok;
    const wanted = chosen.map(({ id, digest }) => ({ id, digest }));
    if (hub === undefined) (await openOffline(terminal.env))?.accept(wanted);
    else await hub.post<PolicyAcceptAnswer>("/api/policy/accept", JSON.stringify({ changes: wanted }));
    terminal.say(`${countText(chosen.length, "change")} accepted.${hub === undefined ? " The hub uses this when it starts." : ""}`);
    return EXIT.ok;
  },
};

/** What waits; without a hub, what would wait. */
async function readPolicy(terminal: Terminal, hub: HubClient | undefined): Promise<PolicyAnswer> {
  if (hub !== undefined) return hub.get<PolicyAnswer>("/api/policy");
  const offline = await openOffline(terminal.env);
  if (offline === undefined) terminal.say("No policy is recorded yet: the hub accepts the present one when it starts for the first time.");
  return offline?.list() ?? { mode: "plain", changes: [] };
}

function named(changes: readonly PolicyChange[], name: string): readonly PolicyChange[] {
  const found = changes.filter((change) => change.name === name || change.id === name);
  if (found.length > 0) return found;
  const names = changes.map((change) => change.name);
  throw new CliError(`No change of "${inertText(name)}" waits for acceptance.${didYouMean(name, names)}`, {
    fix: { run: "hookline policy diff" },
  });
}

function printChanges({ mode, changes, lost }: PolicyAnswer, terminal: Terminal): void {
  if (lost !== undefined)
    terminal.say(
      inertText(
        `${lost} ${mode === "plain" ? "Only rules that block or ask are in force, and closed hooks deny." : "Every tool call is denied."}`,
      ),
    );
  if (changes.length === 0) return terminal.say("Nothing waits for your acceptance.");
  for (const change of changes) printChange(change, terminal);
  const [first] = changes;
  const all = changes.length === 1 ? "" : ". To accept them all: hookline policy accept --all";
  terminal.say(
    `${countText(changes.length, "change")}. To accept one: hookline policy accept ${shellWord(inertText(first?.name ?? ""))}${all}`,
  );
}

function printChange({ kind, name, change, isCode, what, inForce, diff }: PolicyChange, { print, paint, typeable }: Terminal): void {
  print(
    `${paint(isCode ? "red" : "yellow", isCode ? "CODE" : change)} ${kind} ${inertText(name)}: ${typeable(inertText(`${what} ${inForce}`))}`,
  );
  for (const line of diff.replace(/\n$/, "").split("\n")) print(`  ${typeable(inertText(line))}`);
}
