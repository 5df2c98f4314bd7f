import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { readManaged } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { readAttached } from "../../agents/attach/attached.js";
import { CliError } from "../cli-error.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { type Accounts, createAccounts, findAccounts, missingAccounts, readIds } from "../service/accounts.js";
import { packagesToCopy } from "../service/copy-package.js";
import {
  checkFolders,
  filesToWrite,
  findInstallFault,
  findSourceFault,
  installSystem,
  isSystemdRunning,
  systemctl,
  verifyUnit,
} from "../service/install.js";
import { HUB_USER, OPERATORS_GROUP, type SystemPlaces, systemPlaces, UNIT } from "../service/system-places.js";
import { installForUser, runVisibly, showLogs, statusForUser, uninstallForUser } from "../service/user-commands.js";
import type { Terminal } from "../terminal.js";

export const command: CommandGroup = {
  usual: "status",
  subcommands: [
    { name: "status", access: "read", summary: "show whether a service runs the hub (default)", load: async () => ({ command: status }) },
    {
      name: "install",
      access: "operate",
      readsWith: ["dryRun"],
      summary: "start the hub at login; with --system, for all users of this machine",
      load: async () => ({ command: install }),
    },
    {
      name: "uninstall",
      access: "operate",
      readsWith: ["dryRun"],
      summary: "remove the service",
      load: async () => ({ command: uninstall }),
    },
    { name: "logs", access: "read", summary: "show what the hub printed", load: async () => ({ command: logs }) },
  ],
  define(command) {
    command.addHelpText(
      "after",
      examples("hookline service install", "hookline service logs --follow", "sudo hookline service install --system --dry-run"),
    );
  },
};

interface ServiceOptions {
  readonly system?: boolean;
  readonly root?: string;
  readonly ids?: string;
  readonly dryRun?: boolean;
}

const install: CommandModule<ServiceOptions> = {
  define(command) {
    command
      .option("--system", "for all users of this machine: as a user of its own, started by systemd")
      .option("--dry-run", "show what would be written")
      .option("--root <folder>", "install below another root folder, for a package or an image; needs --ids", text)
      .option("--ids <uid:gid:gid>", "the numbers of the hub's user, its group and the operators' group, instead of creating them", text)
      .addHelpText("after", examples("hookline service install", "sudo hookline service install --system --dry-run"));
  },
  async run(terminal, options) {
    if (options.system !== true) return installForUser(terminal, options);
    const places = placesOf(options);
    const { dryRun = false, ids } = options;
    if (places.root !== "/" && ids === undefined)
      throw new CliError("With --root, this machine's accounts do not count.", {
        exitCode: EXIT.usage,
        fix: "Give their numbers with --ids.",
      });
    const source = findSourceFault();
    if (source !== undefined)
      terminal.say(`${mark(terminal)} The files that are copied could have been changed by another user than root: ${inertText(source)}.`);
    if (dryRun) return showPlan(places, ids, terminal);
    mustBeRoot("install");
    checkFolders(places);
    if (ids === undefined) createAccounts();
    const accounts = ids === undefined ? findAccounts() : readIds(ids);
    installSystem(places, accounts);
    terminal.print(places.unit);
    return places.root === "/" ? startUnit(places, terminal) : EXIT.ok;
  },
};

function showPlan(places: SystemPlaces, ids: string | undefined, { print, say }: Terminal): number {
  const missing = ids === undefined ? missingAccounts() : [];
  for (const words of missing) print(`run    ${words.join(" ")}`);
  print(`copy   ${process.execPath} -> ${places.program}/bin/node`);
  for (const { from, to } of packagesToCopy()) print(`copy   ${from} -> ${places.program}/node_modules/${to}`);
  print(`write  ${places.program}/bin/hookline`);
  const accounts = ids !== undefined ? readIds(ids) : missing.length === 0 ? findAccounts() : newAccounts;
  for (const [path, content] of Object.entries(filesToWrite(places, accounts)))
    print(`write  ${path}\n${content.replace(/^(?=.)/gm, "       | ")}`);
  if (missing.length > 0) say("The numbers in managed.json are those of the accounts once they exist; they are shown as 1.");
  try {
    checkFolders(places);
  } catch (error) {
    say(`It would be refused. ${(error as Error).message}`);
    return EXIT.failed;
  }
  return EXIT.ok;
}

/** Before the accounts exist. */
const newAccounts: Accounts = {
  ids: { user: 1, group: 1, operators: 1 },
  names: { user: HUB_USER, group: HUB_USER, operators: OPERATORS_GROUP },
};

function startUnit({ unit }: SystemPlaces, terminal: Terminal): number {
  const { say } = terminal;
  const doubts = verifyUnit(unit);
  if (doubts !== "") say(`${mark(terminal)} systemd-analyze verify: ${inertText(doubts)}`);
  say(`To let a user ask it: sudo usermod -aG ${HUB_USER} <user>`);
  say(`To let a user operate it: sudo usermod -aG ${HUB_USER},${OPERATORS_GROUP} <user>, and once: sudo hookline protect on`);
  if (!isSystemdRunning()) {
    say("systemd does not run here, so the hub was not started. To start it: sudo systemctl enable --now hookline");
    return EXIT.ok;
  }
  systemctl("daemon-reload");
  systemctl("enable", UNIT);
  systemctl("restart", UNIT);
  say("The managed hub runs. To see it: hookline service status");
  return EXIT.ok;
}

const uninstall: CommandModule<ServiceOptions> = {
  define(command) {
    command
      .option("--system", "the hub for all users of this machine")
      .option("--dry-run", "show what would be removed")
      .option("--root <folder>", "below another root folder", text)
      .addHelpText("after", examples("hookline service uninstall", "sudo hookline service uninstall --system"));
  },
  async run(terminal, options) {
    if (options.system !== true) return uninstallForUser(terminal, options);
    const places = placesOf(options);
    const { program, unit, managed } = places;
    const found = [unit, managed, program].filter((path) => existsSync(path));
    if (options.dryRun === true) {
      for (const path of found) terminal.print(`remove ${path}`);
      return EXIT.ok;
    }
    mustBeRoot("uninstall");
    const attached = places.root === "/" ? readAttached(places.clients).filter(({ state }) => state !== "gone") : [];
    if (attached.length > 0)
      throw new CliError("Agents are attached to the managed hub, and without it all their calls would be denied.", {
        fix: { run: attached.map(({ agent }) => `sudo hookline detach --managed ${agent}`).join("; ") },
      });
    if (places.root === "/" && isSystemdRunning() && existsSync(unit)) systemctl("disable", "--now", UNIT);
    for (const path of found) rmSync(path, { recursive: true, force: true });
    if (places.root === "/" && isSystemdRunning()) systemctl("daemon-reload");
    terminal.say(found.length === 0 ? "There was no managed hub." : "The managed hub is removed.");
    for (const path of [places.config, places.state].filter((path) => existsSync(path))) terminal.say(`Kept: ${path}`);
    return EXIT.ok;
  },
};

const status: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command.option("--json", "print JSON").addHelpText("after", examples("hookline service status"));
  },
  async run(terminal, { json = false }) {
    const managed = readManaged();
    if (managed === undefined) return statusForUser(terminal, json);
    const { print, paint } = terminal;
    const places = systemPlaces("/");
    const fault = findInstallFault(places);
    const unit = isSystemdRunning() ? unitState() : "unknown: systemd does not run here";
    const facts = { ...managed, program: places.program, rules: places.rules, unit, ...(fault !== undefined && { fault }) };
    if (json) print(JSON.stringify(facts, undefined, 2));
    else {
      const row = (label: string, value: string): void => print(`${paint("dim", label.padEnd(9))} ${value}`);
      row("unit", unit);
      row("user", `${managed.user}, group ${managed.group}, operators ${managed.operators}`);
      row("program", places.program);
      row("rules", places.rules);
      row("sockets", managed.run);
      row("writable", fault === undefined ? "by root only" : paint("red", inertText(fault)));
    }
    return fault === undefined ? EXIT.ok : EXIT.failed;
  },
};

const logs: CommandModule<{ readonly lines?: string; readonly follow?: boolean }> = {
  define(command) {
    command
      .option("-n, --lines <number>", "how many lines", text, "50")
      .option("-f, --follow", "print new lines as they come")
      .addHelpText("after", examples("hookline service logs", "hookline service logs --follow"));
  },
  async run(terminal, { lines = "50", follow = false }) {
    const options = { lines, isFollowed: follow };
    if (readManaged() === undefined) return showLogs(terminal, options);
    return runVisibly(["journalctl", "-u", UNIT, "-n", lines, "--no-pager", ...(follow ? ["-f"] : [])]);
  },
};

function unitState(): string {
  try {
    return systemctl("is-active", UNIT);
  } catch {
    return "not active";
  }
}

function placesOf({ root = "/" }: ServiceOptions): SystemPlaces {
  if (process.platform !== "linux") throw new CliError("A managed hub needs Linux with systemd. Other systems were not tried.");
  return systemPlaces(resolve(root));
}

function mustBeRoot(verb: string): void {
  if (process.geteuid?.() === 0) return;
  throw new CliError("Only root can do this.", { fix: { run: `sudo hookline service ${verb} --system` } });
}

function mark({ paintTalk }: Terminal): string {
  return paintTalk("yellow", "!");
}
