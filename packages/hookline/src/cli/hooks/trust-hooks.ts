import { createInterface } from "node:readline/promises";
import { HookError } from "@hookline/core";
import { stateFolder } from "@hookline/core/discover";
import { createTrust, type Trust, type TrustRow } from "../../extensions/trust/trust.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import type { HooksOptions } from "./options.js";
import { pickHook } from "./pick-hook.js";

/** `hookline hooks trust [name]`: shows what would run, and asks. */
export async function trustHooks(terminal: Terminal, { project, yes = false }: HooksOptions, [name]: readonly string[]): Promise<number> {
  const trust = createTrust(stateFolder(terminal.env));
  const rows = trust.look(project);
  const wanted = name === undefined ? rows.filter(isWaiting) : [rowOf(rows, name, "trust")];
  if (name === undefined && yes)
    throw new CliError("With --yes, say which hook.", { exitCode: EXIT.usage, next: "hookline hooks trust <name> --yes" });
  if (wanted.length === 0) terminal.say(`Nothing to consent to in "${inert(project)}".`);
  let refused = 0;
  for (const row of wanted) if (!(await consentTo(row, trust, terminal, yes))) refused++;
  return refused === 0 ? EXIT.ok : EXIT.failed;
}

/** One that cannot be trusted is said, and keeps nobody from the next. */
async function consentTo({ hook }: TrustRow, trust: Trust, terminal: Terminal, yes: boolean): Promise<boolean> {
  try {
    const request = trust.request(hook);
    terminal.print(`${request.text}\n\n${request.contents}`);
    if (!(yes || (await ask(terminal, hook.name)))) return false;
    request.accept();
    terminal.say(`${inert(hook.name)} is trusted as it is now. A change ends that.`);
    return true;
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    terminal.say(inert(error.message));
    return false;
  }
}

/** `hookline hooks revoke <name>` */
export async function revokeHook(terminal: Terminal, { project }: HooksOptions, [name]: readonly string[]): Promise<number> {
  const trust = createTrust(stateFolder(terminal.env));
  const { hook } = rowOf(trust.look(project), name, "revoke");
  terminal.say(trust.revoke(hook) ? `${inert(hook.name)} does not run any more.` : `${inert(hook.name)} was not trusted anyway.`);
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

/** Only a person at a terminal can say yes; silence, and a pipe, are a no. */
async function ask(terminal: Terminal, name: string): Promise<boolean> {
  if (!terminal.isInteractive || terminal.stdin.isTTY !== true) {
    terminal.say(`Not trusted, for there is nobody to ask. To consent: hookline hooks trust '${inert(name)}' --yes`);
    return false;
  }
  const prompt = createInterface({ input: terminal.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(`Let ${inert(name)} run as shown above? [y/N] `)).trim());
  } finally {
    prompt.close();
  }
}
