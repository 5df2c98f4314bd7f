import { resolve } from "node:path";
import { inertJson } from "@hookline/core/internal/text";
import type { SelftestAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { pauseWarning } from "../format/pause-text.js";
import { connectIfRunning } from "../hub-client.js";
import { text } from "../option-values.js";
import { printGuards, sendersSentence, summaryOf } from "../selftest/print-guards.js";
import type { Terminal } from "../terminal.js";

/** Every guard may take its time. */
const TIMEOUT_MS = 600_000;

interface SelftestOptions {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly project?: string;
}

export const command: CommandModule<SelftestOptions> = {
  define(command) {
    command
      .option("--strict", "a guard without a canary is a failure, too")
      .option("--project <folder>", "without a hub: the project whose hooks are tried (default: the current folder)", text)
      .option("--json", "print JSON")
      .addHelpText("after", "\nA canary is something that a guard must deny: a rule's examples.catches, or a hook's canary.")
      .addHelpText(
        "after",
        "It is sent as each attached agent sends its calls.\nExit code 1 when a guard lets its canary through, fails, is not asked, or is for a tool that no attached agent has,\nand while guards are paused.",
      )
      .addHelpText("after", examples("hookline selftest", "hookline selftest --strict --json | jq '.guards[] | {name, state}'"));
  },

  async run(terminal, { json = false, strict = false, project = "." }) {
    const answer = (await askHub(terminal)) ?? (await tryHere(terminal, resolve(project)));
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else printGuards(answer.guards, terminal);
    terminal.say(summaryOf(answer.guards));
    if (answer.paused !== undefined) terminal.say(`${terminal.paintTalk("red", "!")} ${pauseWarning(answer.paused)}`);
    if (answer.guards.length > 0) terminal.say(sendersSentence(answer.agents));
    return isGood(answer, strict) ? EXIT.ok : EXIT.failed;
  },
};

/** Nothing where no hub runs. Throws for one that is there and cannot be used. */
async function askHub({ env }: Terminal): Promise<SelftestAnswer | undefined> {
  const hub = await connectIfRunning(env);
  return hub?.post<SelftestAnswer>("/api/selftest", "{}", "application/json", TIMEOUT_MS);
}

async function tryHere(terminal: Terminal, project: string): Promise<SelftestAnswer> {
  terminal.say("No hub is running: tried in this process.");
  return (await import("../selftest/try-here.js")).trySelftestHere(terminal, project);
}

function isGood({ ok, guards }: SelftestAnswer, isStrict: boolean): boolean {
  return ok && !(isStrict && (guards.length === 0 || guards.some(({ state }) => state === "no canary")));
}
