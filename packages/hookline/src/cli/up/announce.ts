import type { HubFile } from "@hookline/core/internal/machine";
import type { UpOptions } from "../commands/up.js";
import { durationText } from "../format/amounts.js";
import type { Terminal } from "../terminal.js";

export interface Announcement {
  readonly file: HubFile;
  /** Where events are stored, if known. */
  readonly data?: string;
  /** How to stop it. */
  readonly stop: string;
  readonly isOld?: boolean;
}

/** Says that the hub is up, where, and what to do next. Only the address is data. */
export function announce({ file, data, stop, isOld = false }: Announcement, { print, say, paintTalk, typeable }: Terminal): void {
  const age = durationText(Date.now() - Date.parse(file.startedAt));
  say(isOld ? `The hub is already up (process ${file.pid}, for ${age}), at` : `The hub is up (process ${file.pid}), at`);
  print(file.url);
  if (data !== undefined) say(`${paintTalk("dim", "events are kept in")} ${data}`);
  say("");
  const rows = [
    ["hookline open", "open the dashboard in the browser"],
    ["hookline tail", "watch events as they arrive"],
    ["hookline demo", "run a scripted agent that sends events"],
    ["hookline status", "show the hub's state"],
    [stop, "stop it"],
  ] as const;
  const commands = rows.map(([command]) => typeable(command));
  const width = Math.max(...commands.map((command) => command.length));
  for (const [at, [, what]] of rows.entries()) say(`  ${paintTalk("bold", commands[at]?.padEnd(width) ?? "")}  ${paintTalk("dim", what)}`);
}

/** The consequences of listening beyond this machine. Printed only after a hub has started with these options. */
export function warnOfHost({ host, remoteApprovals = false }: UpOptions, { say, paintTalk }: Terminal): void {
  if (host === undefined || /^(127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)$/.test(host)) return;
  say(`${paintTalk("yellow", "Careful:")} with ${host}, other machines on the network can connect to the hub.`);
  say("The hub requires tokens, but nothing is encrypted. To listen on this machine only, omit --host.");
  if (remoteApprovals) say("Calls can also be approved from other machines, so a program that reads the traffic can approve them.");
  else say("From other machines the dashboard is view-only, unless you add --remote-approvals. For a link: hookline open --host <address>");
}
