import { didYouMean, inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import { digestOfAll } from "../../hub/policy/shown.js";
import type { PolicyAnswer, PolicyChange } from "../../hub/protocol.js";
import { type DigestOption, digestOption } from "../agree-to-shown.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { acceptCommand, acceptShown, printChange, readWaiting } from "./accept-shown.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 1 when something waits.")
      .addHelpText("after", examples("hookline policy diff", "hookline policy diff --json | jq '.changes[].name'"));
  },

  async run(terminal, { json = false }) {
    const { accept: _, isRunning: __, ...answer } = await readWaiting(terminal);
    const { changes } = answer;
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else printChanges(answer, terminal);
    return changes.length === 0 ? EXIT.ok : EXIT.failed;
  },
};

export const accept: CommandModule<DigestOption & { readonly all?: boolean }> = {
  define(command) {
    command
      .argument("[names...]", "the rules and hooks to accept", text)
      .option("--all", "everything that waits")
      .option(...digestOption)
      .addHelpText("after", "\nShows each change, asks, and puts it into force as it was shown. Without a terminal, give the digest.")
      .addHelpText("after", examples("hookline policy accept push-guard", "hookline policy accept push-guard --digest 3f9a1c5b7d2e"));
  },

  async run(terminal, { all = false, digest }, names) {
    if (all === names.length > 0)
      throw new CliError("Name what to accept, or use --all.", { exitCode: EXIT.usage, fix: { run: "hookline policy diff" } });
    const policy = await readWaiting(terminal);
    const chosen = all ? policy.changes : [...new Set(names.flatMap((name) => named(policy.changes, name)))];
    if (chosen.length === 0) {
      terminal.say("Nothing waits for your acceptance.");
      return EXIT.ok;
    }
    const command = all
      ? "hookline policy accept --all"
      : `hookline policy accept ${names.map((name) => shellWord(inertText(name))).join(" ")}`;
    return acceptShown(terminal, policy, { chosen, digest, command });
  },
};

function named(changes: readonly PolicyChange[], name: string): readonly PolicyChange[] {
  const found = changes.filter((change) => change.name === name || change.id === name);
  if (found.length > 0) return found;
  const names = changes.map((change) => change.name);
  throw new CliError(`No change of "${inertText(name)}" waits for acceptance.${didYouMean(name, names)}`, {
    fix: { run: "hookline policy diff" },
  });
}

function printChanges({ mode, changes, lost, held }: PolicyAnswer, terminal: Terminal): void {
  if (held !== undefined)
    terminal.say(inertText(`${held} Until you accept them, its changes wait in every mode, but for those that tighten.`));
  if (lost !== undefined)
    terminal.say(
      inertText(
        `${lost} ${mode === "plain" ? "Only rules that block or ask are in force, and closed hooks deny." : "Every tool call is denied."}`,
      ),
    );
  if (changes.length === 0) return terminal.say("Nothing waits for your acceptance.");
  for (const change of changes) printChange(change, terminal);
  const [first] = changes;
  const digest = digestOfAll(changes.map((change) => change.digest));
  const all = changes.length === 1 ? "" : `. To accept them all: hookline policy accept --all --digest ${digest}`;
  const one = first === undefined ? "" : `${acceptCommand(first.name)} --digest ${first.digest}`;
  terminal.say(`${countText(changes.length, "change")}. To accept one: ${one}${all}`);
}
