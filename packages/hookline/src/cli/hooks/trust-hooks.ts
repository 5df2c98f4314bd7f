import { HookError } from "@hookline/core";
import { errorText, stateFolder } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { createTrust, type Trust, type TrustRow } from "../../extensions/trust/trust.js";
import { consentWanted } from "../../hub/policy/consent-changes.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { acceptOwn } from "../policy/accept-own.js";
import { createPrompt, type Prompt } from "../prompt.js";
import type { Terminal } from "../terminal.js";
import { type ProjectOption, pickHook, placeOf, projectOf, projectOption } from "./find-hooks.js";

export const command: CommandModule<ProjectOption & { readonly yes?: boolean }> = {
  define(command) {
    command
      .argument("[hook]", "one hook of the project (default: each that waits for your consent)", text)
      .option(...projectOption)
      .option("--yes", "consent to the named hook without being asked")
      .addHelpText(
        "after",
        "\nShows what would run, on which events and with which permissions, then asks. A change to the hook ends your consent.",
      )
      .addHelpText("after", examples("hookline hooks trust", "hookline hooks trust push-guard --yes"));
  },

  run: (terminal, { yes = false, ...where }, [name]) => trustHooks(terminal, { project: projectOf(where), yes }, name),
};

export const revoke: CommandModule<ProjectOption> = {
  define(command) {
    command
      .argument("[hook]", "the hook of the project", text)
      .option(...projectOption)
      .addHelpText("after", "\nThe hook does not run again until you consent to it.")
      .addHelpText("after", examples("hookline hooks revoke push-guard"));
  },

  run: revokeHook,
};

async function trustHooks(
  terminal: Terminal,
  { project, yes }: { readonly project: string; readonly yes: boolean },
  name: string | undefined,
): Promise<number> {
  const trust = createTrust(stateFolder(terminal.env));
  const rows = trust.look(project);
  const wanted = name === undefined ? rows.filter(isWaiting) : [rowOf(rows, name, "trust")];
  if (name === undefined && yes && wanted.length > 0)
    throw new CliError(`With --yes, name the hook: ${wanted.map(({ hook }) => inertText(hook.name)).join(", ")}.`, {
      exitCode: EXIT.usage,
      fix: { run: "hookline hooks trust" },
    });
  if (wanted.length === 0) terminal.say(`No hook in "${inertText(project)}" waits for your consent.`);
  if (name === undefined) sayRevoked(rows, terminal);
  const prompt = createPrompt(terminal.stdin, process.stderr);
  let refused = 0;
  try {
    for (const row of wanted) if (!(await consentTo(row, trust, { terminal, prompt, yes }))) refused++;
  } finally {
    prompt.close();
  }
  return refused === 0 ? EXIT.ok : EXIT.failed;
}

/** The user is not asked about a revoked hook again, but learns how to undo the revocation. */
function sayRevoked(rows: readonly TrustRow[], { say }: Terminal): void {
  for (const { hook, state } of rows)
    if (state === "revoked")
      say(`You revoked your consent to ${inertText(hook.name)}. To give it again: hookline hooks trust ${shellWord(inertText(hook.name))}`);
}

interface Asking {
  readonly terminal: Terminal;
  readonly prompt: Prompt;
  readonly yes: boolean;
}

/** A hook that cannot be trusted is reported, and the next one is still asked about. */
async function consentTo({ hook }: TrustRow, trust: Trust, { terminal, prompt, yes }: Asking): Promise<boolean> {
  try {
    const request = trust.request(hook);
    terminal.print(request.text);
    if (request.changes !== undefined) terminal.print(`\nChanged since you consented:\n${request.changes}\n\nAs it is now:`);
    terminal.print(`\n${request.contents}`);
    if (!(yes || (await isAgreed(terminal, prompt, hook.name)))) return false;
    const { hash } = request.accept();
    await acceptOwn(terminal, hook.name, [consentWanted(hook, hash)]);
    terminal.say(`${inertText(hook.name)} is trusted as it is now. ${hook.kind === "config" ? STAYS : "A change ends your consent."}`);
    return true;
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    terminal.say(inertText(errorText(error)));
    return false;
  }
}

const STAYS = "If it changes, these rules stay in force until you consent again or revoke them.";

async function revokeHook(terminal: Terminal, where: ProjectOption, [name]: readonly string[]): Promise<number> {
  const trust = createTrust(stateFolder(terminal.env));
  const rows = [...trust.look(projectOf(where)), ...trust.look(placeOf(where))];
  const isInForce = ({ state }: TrustRow): boolean => state === "trusted" || state === "modified";
  // If several hooks have that name, the one that runs is meant.
  const byName = new Map([...rows, ...rows.filter(isInForce)].map((row) => [row.hook.name, row]));
  const { hook } = rowOf([...byName.values()], name, "revoke");
  const wasRevoked = trust.revoke(hook);
  if (wasRevoked) await acceptOwn(terminal, hook.name, [consentWanted(hook)]);
  terminal.say(wasRevoked ? `${inertText(hook.name)} no longer runs.` : `${inertText(hook.name)} was not trusted.`);
  return EXIT.ok;
}

function rowOf(rows: readonly TrustRow[], name: string | undefined, action: string): TrustRow {
  return pickHook(
    rows.map((row) => ({ ...row, name: row.hook.name })),
    name,
    action,
  );
}

function isWaiting({ state }: TrustRow): boolean {
  return state === "untrusted" || state === "modified";
}

/** Only a person at a terminal can consent. No answer, the end of the input or a pipe means no. */
async function isAgreed(terminal: Terminal, prompt: Prompt, name: string): Promise<boolean> {
  if (!terminal.isInteractive || terminal.stdin.isTTY !== true) {
    terminal.say(
      `Not trusted, because there is no terminal to ask on. To consent: hookline hooks trust ${shellWord(inertText(name))} --yes`,
    );
    return false;
  }
  const answer = await prompt.ask(`Let ${inertText(name)} run as shown above? [y/N] `);
  const isYes = /^y(es)?$/i.test(answer?.trim() ?? "");
  if (!isYes) terminal.say(`${inertText(name)} is not trusted.`);
  return isYes;
}
