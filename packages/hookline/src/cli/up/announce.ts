import type { HubFile } from "@hookline/core/internal/machine";
import { durationText } from "../format/amounts.js";
import type { Terminal } from "../terminal.js";
import type { UpOptions } from "./up-options.js";

export interface Announcement {
  readonly file: HubFile;
  /** Where events are kept, if that is known. */
  readonly data?: string;
  /** How to stop it. */
  readonly stop: string;
  readonly isOld?: boolean;
}

/** Says that the hub is up, where, and what to do with it. The address alone is data. */
export function announce({ file, data, stop, isOld = false }: Announcement, { print, say, paintTalk, typeable }: Terminal): void {
  const age = durationText(Date.now() - Date.parse(file.startedAt));
  say(isOld ? `The hub is already up (process ${file.pid}, for ${age}), at` : `The hub is up (process ${file.pid}), at`);
  print(file.url);
  if (data !== undefined) say(`${paintTalk("dim", "events are kept in")} ${data}`);
  say("");
  const rows = [
    ["hookline open", "open the page in the browser"],
    ["hookline tail", "watch events as they arrive"],
    ["hookline demo", "run a scripted agent, to have something to watch"],
    ["hookline status", "how it is doing"],
    [stop, "stop it"],
  ] as const;
  const commands = rows.map(([command]) => typeable(command));
  const width = Math.max(...commands.map((command) => command.length));
  for (const [at, [, what]] of rows.entries()) say(`  ${paintTalk("bold", commands[at]?.padEnd(width) ?? "")}  ${paintTalk("dim", what)}`);
}

/** What it means that the hub listens beyond this machine. Said once it does: a hub that did not start, or was there before, does not. */
export function warnOfHost({ host, remoteApprovals = false }: UpOptions, { say, paintTalk }: Terminal): void {
  if (host === undefined || /^(127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)$/.test(host)) return;
  say(`${paintTalk("yellow", "Careful:")} ${host} is beyond this machine. Whoever reaches it on the network can speak to the hub.`);
  say("Tokens are asked for, but nothing is encrypted. Leave --host away to listen on this machine alone.");
  if (remoteApprovals) say("Calls can be approved from there, too: who reads the traffic can do that.");
  else say("From there one can look, not approve; --remote-approvals changes that. A link: hookline open --host <address>");
}
