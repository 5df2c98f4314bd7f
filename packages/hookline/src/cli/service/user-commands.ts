import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { findHub } from "../find-hub.js";
import type { Terminal } from "../terminal.js";
import { type UserService, userService, type Words } from "./user-service.js";

interface Options {
  readonly dryRun?: boolean;
  /** The hub that runs hands over to the service. */
  readonly isUpgrade?: boolean;
}

/** `hookline service install`: the hub of this user, from login on. */
export async function installForUser(terminal: Terminal, { dryRun = false, isUpgrade = false }: Options): Promise<number> {
  const service = serviceOf(terminal);
  if (dryRun) return showPlan(service, terminal);
  if (!isUpgrade) await mustBeFree(service, terminal);
  if (service.file !== undefined) {
    mkdirSync(dirname(service.file.path), { recursive: true, mode: 0o700 });
    replaceFile(service.file.path, service.file.text, { mode: 0o600 });
    terminal.print(service.file.path);
  }
  for (const words of service.start) runOrThrow(words, service);
  if (isUpgrade) return EXIT.ok;
  sayUntried(service, terminal);
  terminal.say("The hub runs as a service. To see it: hookline service status");
  sayBoot(service, terminal);
  if (/[\\/]_npx[\\/]/.test(service.command))
    terminal.say(
      `${terminal.paintTalk("yellow", "!")} The service runs the copy in npx's cache, which npm may remove. To keep one: npm install --global hookline && hookline service install`,
    );
  return EXIT.ok;
}

export async function uninstallForUser(terminal: Terminal, { dryRun = false }: Options): Promise<number> {
  const service = serviceOf(terminal);
  const isThere = service.file === undefined ? isActive(service) : existsSync(service.file.path);
  if (!isThere) {
    terminal.say("There is no service of yours.");
    return EXIT.ok;
  }
  if (dryRun) {
    for (const words of service.stop) terminal.print(`run    ${words.join(" ")}`);
    if (service.file !== undefined) terminal.print(`remove ${service.file.path}`);
    return EXIT.ok;
  }
  for (const words of service.stop) stopOrThrow(words, service, terminal);
  if (service.file !== undefined) rmSync(service.file.path, { force: true });
  terminal.say("The service is removed and runs no hub. Attached agents stay attached: calls of strict ones are denied without a hub.");
  return EXIT.ok;
}

export function statusForUser(terminal: Terminal, isJson: boolean): number {
  const { print, say, paint } = terminal;
  const service = serviceOf(terminal);
  const isInstalled = service.file === undefined ? isActive(service) : existsSync(service.file.path);
  if (!isInstalled) {
    say("No service starts the hub. To start it when you log in: hookline service install");
    return EXIT.notRunning;
  }
  const facts = { manager: service.manager, ...(service.file && { file: service.file.path }), active: isActive(service) };
  if (isJson) print(JSON.stringify(facts, undefined, 2));
  else {
    const row = (label: string, value: string): void => print(`${paint("dim", label.padEnd(9))} ${value}`);
    row("service", facts.active ? "active" : paint("red", "not active"));
    row("manager", `${service.manager}${service.isTried ? "" : ", not tried here"}`);
    if (service.file !== undefined) row("file", inertText(service.file.path));
  }
  if (!facts.active) say(whyInactive(service));
  return facts.active ? EXIT.ok : EXIT.notRunning;
}

export function showLogs(terminal: Terminal, options: { readonly lines: string; readonly isFollowed: boolean }): number {
  if (!/^\d{1,6}$/.test(options.lines)) throw new CliError("--lines takes a number.", { exitCode: EXIT.usage });
  const service = serviceOf(terminal);
  if (service.file !== undefined && !existsSync(service.file.path))
    throw new CliError("The hub is not installed as a service, so it has no service log.", {
      exitCode: EXIT.notRunning,
      fix: { run: "hookline service install" },
    });
  return runVisibly(service.logs(options));
}

/** Runs a program on this terminal. */
export function runVisibly([program, ...args]: Words): number {
  const { status, error } = spawnSync(program, args, { stdio: "inherit" });
  if (error !== undefined) throw new CliError(`${program} could not be started: ${error.message}.`);
  return status ?? EXIT.failed;
}

function serviceOf({ env }: Terminal): UserService {
  const service = userService({ env });
  if (service !== undefined) return service;
  throw new CliError(`Hookline does not know the service manager of this system (${process.platform}).`, {
    fix: { run: "hookline up --detach" },
  });
}

/** A hub that runs already would make the service end at once, as if it had failed. */
async function mustBeFree(service: UserService, { env }: Terminal): Promise<void> {
  if (isActive(service)) return;
  const hub = await findHub(env).catch(() => undefined);
  if (hub !== undefined)
    throw new CliError(`A hub runs already (process ${hub.file.pid}), and not as a service.`, {
      fix: { run: "hookline down && hookline service install" },
    });
}

function sayBoot({ atBoot, hint }: UserService, { say }: Terminal): void {
  const [program, ...args] = atBoot ?? [];
  if (program !== undefined && spawnSync(program, args, { stdio: "ignore" }).status === 0) say("It starts at boot.");
  else if (hint !== undefined) say(hint);
}

function showPlan({ file, start, atBoot }: UserService, { print }: Terminal): number {
  if (file !== undefined) print(`write  ${file.path}\n${file.text.replace(/^(?=.)/gm, "       | ").trimEnd()}`);
  for (const words of [...start, ...(atBoot === undefined ? [] : [atBoot])]) print(`run    ${words.join(" ")}`);
  return EXIT.ok;
}

function whyInactive({ manager, isManaging }: UserService): string {
  const fault = isManaging === undefined ? undefined : runFor(isManaging);
  return fault === undefined
    ? "To see why: hookline service logs"
    : `${manager} does not run here (${fault}). To start the hub without it: hookline up --detach`;
}

function isActive({ isActive: [program, ...args] }: UserService): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

/** Without its manager, in a container for example, a service cannot run, and its file can go. */
function stopOrThrow(words: Words, service: UserService, { say, paintTalk }: Terminal): void {
  const fault = runFor(words);
  if (fault === undefined) return;
  if (isActive(service)) throw new CliError(fault, { fix: `Stop the service yourself, then run the command again: ${words.join(" ")}` });
  say(`${paintTalk("yellow", "!")} ${fault}. The service is not active.`);
}

/** What is wrong, if the program fails. */
function runFor([program, ...args]: Words): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? undefined : `${[program, ...args].join(" ")} failed: ${inertText(error?.message ?? stderr.trim())}`;
}

function runOrThrow(words: Words, { manager, file }: UserService): void {
  const fault = runFor(words);
  if (fault === undefined) return;
  throw new CliError(fault, {
    fix: `${file === undefined ? "" : `The file ${file.path} is written. `}If ${manager} does not run here, start the hub yourself: hookline up --detach`,
  });
}

function sayUntried({ manager, isTried }: UserService, { say }: Terminal): void {
  if (!isTried) say(`${manager} was not tried: it is written by its documentation.`);
}
