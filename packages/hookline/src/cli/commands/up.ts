import { resolve } from "node:path";
import { shellWord } from "@hookline/core/internal/text";
import type { StatusAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { type FoundHub, findHub } from "../find-hub.js";
import { faultLine } from "../format/fault-line.js";
import { connectHub } from "../hub-client.js";
import { makeLink, openDashboard } from "../open/open-dashboard.js";
import { port, text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { announce, warnOfHost } from "../up/announce.js";
import { startDetached } from "../up/detach.js";
import { runHere } from "../up/foreground.js";
import { runDemo } from "../up/run-demo.js";
import type { UpOptions } from "../up/up-options.js";

export const command: CommandModule<UpOptions> = {
  define(command) {
    command
      .option("-D, --detach", "start it in the background and come back")
      .option("-p, --port <number>", "port on loopback; 0 takes any that is free (default: 4665, else any)", port)
      .option("--host <address>", "address to listen on (default: 127.0.0.1)", text)
      .option("--remote-approvals", "with --host: calls may be approved over the network as well; nothing on the way is encrypted")
      .option("--data <folder>", "where events are kept (default: the state folder)", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--open", "open the page in the browser, to look; hookline open --approve also lets you answer")
      .option("--demo", "run the scripted agent as well")
      .option("--skip-untrusted", "without a terminal: start although the project has hooks nobody consented to; they do not run")
      .addHelpText("after", examples("hookline up", "hookline up --detach", "hookline up --demo"));
  },

  async run(terminal, given) {
    // The background process has another working folder.
    const options = { ...given, ...fullPaths(given) };
    // Nearly always there is nothing to check, and little to load for that.
    await (await import("../up/check-project.js")).checkProject(options, terminal);
    const running = await findHub(terminal.env).catch(() => undefined);
    if (running !== undefined) return meetRunning(running, options, terminal);
    if (options.detach !== true) return runHere(options, terminal);
    const { hub, isNew } = await startDetached(options, terminal);
    if (!isNew) return meetRunning(hub, options, terminal);
    announce({ file: hub.file, data: options.data ?? hub.folder, stop: "hookline down" }, terminal);
    warnOfHost(options, terminal);
    await tellNote(terminal);
    return afterStart(options, terminal);
  },
};

/** A second `up` is no mistake: it says where the first one is. */
async function meetRunning(hub: FoundHub, options: UpOptions, terminal: Terminal): Promise<number> {
  announce({ file: hub.file, stop: "hookline down", isOld: true }, terminal);
  const unused = (["port", "host", "remoteApprovals", "data", "config"] as const).filter((name) => options[name] !== undefined);
  const again = unused.map((name) => (options[name] === true ? flagOf(name) : `${flagOf(name)} ${shellWord(String(options[name]))}`));
  if (unused.length > 0)
    terminal.say(
      `It was started before, so ${unused.map(flagOf).join(" and ")} changed nothing. For that: hookline down; hookline up ${again.join(" ")}`,
    );
  return afterStart(options, terminal);
}

async function afterStart({ open, demo }: UpOptions, terminal: Terminal): Promise<number> {
  if (open === true) openDashboard((await makeLink(terminal.env)).url, terminal);
  return demo === true ? runDemo(terminal) : EXIT.ok;
}

/** What the hub would say of its address, and of what is not in force, goes to its log. */
async function tellNote({ env, say, paintTalk }: Terminal): Promise<void> {
  const { note, faults } = await (await connectHub(env)).get<StatusAnswer>("/api/status");
  for (const text of [...(note === undefined ? [] : [note]), ...faults.map(faultLine)]) say(`${paintTalk("yellow", "!")} ${text}`);
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function fullPaths({ data, config }: UpOptions): Pick<UpOptions, "data" | "config"> {
  return { ...(data !== undefined && { data: resolve(data) }), ...(config !== undefined && { config: resolve(config) }) };
}
