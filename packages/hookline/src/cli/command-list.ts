import type { CommandModule } from "./command-module.js";

interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

/** All commands, in the order in which help lists them. */
export const commandList: readonly ListedCommand[] = [
  { name: "up", summary: "start the hub: it keeps every event and lets you watch", load: () => import("./commands/up.js") },
  { name: "down", summary: "stop the hub", load: () => import("./commands/down.js") },
  { name: "status", summary: "is the hub running, where, and how is it", load: () => import("./commands/status.js") },
  { name: "tail", summary: "watch events as they come", load: () => import("./commands/tail.js") },
  { name: "sessions", summary: "list sessions, latest first", load: () => import("./commands/sessions.js") },
  { name: "show", summary: "show one event and how it was decided", load: () => import("./commands/show.js") },
  { name: "emit", summary: "send an event, or ask for a decision", load: () => import("./commands/emit.js") },
  { name: "approvals", summary: "list the calls that wait for a person", load: () => import("./commands/approvals.js") },
  { name: "approve", summary: "let a call that waits go on", load: () => import("./commands/approve.js") },
  { name: "deny", summary: "stop a call that waits", load: () => import("./commands/deny.js") },
  { name: "inject", summary: "put a message into a live session", load: () => import("./commands/inject.js") },
  { name: "remind", summary: "put a reminder into a live session", load: () => import("./commands/remind.js") },
  { name: "pause", summary: "let every call pass for a while", load: () => import("./commands/pause.js") },
  { name: "resume", summary: "end a pause: guards are on again", load: () => import("./commands/resume.js") },
  { name: "open", summary: "open the page, or make a link to it", load: () => import("./commands/open.js") },
  { name: "logout", summary: "sign out every page that was opened by a link", load: () => import("./commands/logout.js") },
  { name: "hooks", summary: "list, make, test and trust hooks", load: () => import("./commands/hooks.js") },
  { name: "agents", summary: "which agents are here, attached, and heard of", load: () => import("./commands/agents.js") },
  { name: "attach", summary: "watch and guard an agent you already run", load: () => import("./commands/attach.js") },
  { name: "detach", summary: "take that back", load: () => import("./commands/detach.js") },
  { name: "run", summary: "watch and guard an agent for one run", load: () => import("./commands/run.js") },
  { name: "demo", summary: "run a scripted agent, to have something to look at", load: () => import("./commands/demo.js") },
  { name: "init", summary: "write a hookline.toml to begin with", load: () => import("./commands/init.js") },
  { name: "rules", summary: "list, add and test rules", load: () => import("./commands/rules.js") },
  { name: "selftest", summary: "try every guard on something that it must deny", load: () => import("./commands/selftest.js") },
  { name: "verify", summary: "find out whether the record was tampered with", load: () => import("./commands/verify.js") },
  { name: "config", summary: "show the configuration, and where it comes from", load: () => import("./commands/config.js") },
  { name: "doctor", summary: "find what is wrong, and how to mend it", load: () => import("./commands/doctor.js") },
  { name: "redeliver", summary: "send a webhook's dead letters again", load: () => import("./commands/redeliver.js") },
  { name: "token", summary: "replace the token that agents use", load: () => import("./commands/token.js") },
];
