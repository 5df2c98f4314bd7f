import { HookError } from "@hookline/core";
import { stateFolder } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { createTrust, type Trust, type TrustRow } from "../../extensions/trust/trust.js";
import { consentWanted } from "../../hub/policy/consent-changes.js";
import { agreeToShown, type DigestOption, digestOption } from "../agree-to-shown.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { acceptOwn } from "../policy/accept-own.js";
import { reportError } from "../report-error.js";
import type { Terminal } from "../terminal.js";
import { type ProjectOption, pickHook, placeOf, projectOf, projectOption } from "./find-hooks.js";

export const command: CommandModule<ProjectOption & DigestOption> = {
  define(command) {
    command
      .argument("[hook]", "one hook of the project (default: each that waits for your consent)", text)
      .option(...projectOption)
      .option(...digestOption)
      .addHelpText(
        "after",
        "\nShows what would run, on which events and with which permissions, then asks. Without a terminal, give the digest. A change to the hook ends your consent.",
      )
      .addHelpText("after", examples("hookline hooks trust", "hookline hooks trust push-guard --digest 3f9a1c5b7d2e"));
  },

  run: (terminal, { digest, ...where }, [name]) => trustHooks(terminal, { project: projectOf(where), where, digest }, name),
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
  { project, ...asking }: Asking & { readonly project: string },
  name: string | undefined,
): Promise<number> {
  const trust = createTrust(stateFolder(terminal.env));
  const rows = trust.look(project);
  const wanted = name === undefined ? rows.filter(isWaiting) : [rowOf(rows, name, "trust")];
  if (name === undefined && asking.digest !== undefined && wanted.length > 0)
    throw new CliError(`With --digest, name the hook: ${wanted.map(({ hook }) => inertText(hook.name)).join(", ")}.`, {
      exitCode: EXIT.usage,
      fix: { run: "hookline hooks trust" },
    });
  if (wanted.length === 0) terminal.say(`No hook in "${inertText(project)}" waits for your consent.`);
  if (name === undefined) sayRevoked(rows, terminal);
  let refused = 0;
  for (const row of wanted) if (!(await consentTo(row, trust, { terminal, ...asking }))) refused++;
  return refused === 0 ? EXIT.ok : EXIT.failed;
}

/** The user is not asked about a revoked hook again, but learns how to undo the revocation. */
function sayRevoked(rows: readonly TrustRow[], { say }: Terminal): void {
  for (const { hook, state } of rows)
    if (state === "revoked")
      say(`You revoked your consent to ${inertText(hook.name)}. To give it again: hookline hooks trust ${shellWord(inertText(hook.name))}`);
}

interface Asking {
  /** The option of the command line. */
  readonly where: ProjectOption;
  readonly digest: string | undefined;
}

/** A hook that cannot be trusted is reported, and the next one is still asked about. */
async function consentTo(
  { hook }: TrustRow,
  trust: Trust,
  { terminal, where, digest }: Asking & { readonly terminal: Terminal },
): Promise<boolean> {
  try {
    const request = trust.request(hook);
    terminal.print(request.text);
    if (request.changes !== undefined) terminal.print(`\nChanged since you consented:\n${request.changes}\n\nAs it is now:`);
    terminal.print(`\n${request.contents}`);
    const name = inertText(hook.name);
    const place = where.project === undefined ? "" : ` --project ${shellWord(inertText(where.project))}`;
    const command = `hookline hooks trust ${shellWord(name)}${place}`;
    const shown = { name, digest: request.hash, question: `Let ${name} run as shown above?`, command };
    if (!(await agreeToShown(terminal, shown, digest))) return notTrusted(terminal, name);
    // Exactly the bytes that were read for what was shown.
    const { hash } = request.accept();
    await acceptOwn(terminal, hook.name, [consentWanted(hook, hash)]);
    terminal.say(`${inertText(hook.name)} is trusted as it is now. ${hook.kind === "config" ? STAYS : "A change ends your consent."}`);
    return true;
  } catch (error) {
    if (!(error instanceof HookError || error instanceof CliError)) throw error;
    reportError(error, terminal);
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

function notTrusted(terminal: Terminal, name: string): false {
  terminal.say(`${name} is not trusted.`);
  return false;
}
