import { resolve } from "node:path";
import { shellWord } from "@hookline/core/internal/text";
import type { StatusAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { type FoundHub, findHub } from "../find-hub.js";
import { connectHub } from "../hub-client.js";
import { makeLink, openDashboard } from "../open/open-dashboard.js";
import { port, text } from "../option-values.js";
import { faultLine } from "../status/guards.js";
import type { Terminal } from "../terminal.js";
import { announce, warnOfHost } from "../up/announce.js";
import { startDetached } from "../up/detach.js";
import { runHere } from "../up/foreground.js";
import { runDemo } from "../up/run-demo.js";

/** Options of `hookline up`. */
export interface UpOptions {
  readonly detach?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly remoteApprovals?: boolean;
  readonly data?: string;
  readonly config?: string;
  readonly open?: boolean;
  readonly demo?: boolean;
  readonly skipUntrusted?: boolean;
  readonly managed?: boolean;
  readonly takeOver?: boolean;
  /** It runs until a service takes over. */
  readonly interim?: boolean;
}

export const command: CommandModule<UpOptions> = {
  define(command) {
    command
      .option("-D, --detach", "start the hub in the background")
      .option("-p, --port <number>", "port on loopback; 0 takes any free port (default: 4665, or any free port if it is in use)", port)
      .option("--host <address>", "address to listen on (default: 127.0.0.1)", text)
      .option("--remote-approvals", "with --host: calls can also be approved over the network, which is not encrypted")
      .option("--data <folder>", "where events are stored (default: the state folder)", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--open", "open a view-only dashboard in the browser; to answer approvals: hookline open --approve")
      .option("--demo", "also run the scripted agent")
      .option("--skip-untrusted", "without a terminal: start although the project has hooks without consent; these do not run")
      .option("--take-over", "take the place of a hub that was told to hand over, as `hookline upgrade` does")
      .option("--interim", "hand over to the next hub that takes over, as `hookline upgrade` needs it for a service")
      .option("--managed", "run as the hub of the whole machine, as the unit of `hookline service install --system` does")
      .addHelpText("after", examples("hookline up", "hookline up --detach", "hookline up --demo"));
  },

  async run(terminal, given) {
    // The background process has another working folder.
    const options = { ...given, ...fullPaths(given) };
    if (options.managed === true) return runHere(options, terminal);
    // Most projects have no hooks, so the check is loaded only when needed.
    await (await import("../up/check-project.js")).checkProject(options, terminal);
    const running = await findHub(terminal.env).catch(() => undefined);
    if (running !== undefined && options.takeOver !== true) return meetRunning(running, options, terminal);
    if (options.detach !== true) return runHere(options, terminal);
    const { hub, isNew } = await startDetached(options, terminal);
    if (!isNew) return meetRunning(hub, options, terminal);
    announce({ file: hub.file, data: options.data ?? hub.folder, stop: "hookline down" }, terminal);
    warnOfHost(options, terminal);
    await tellNote(terminal);
    return afterStart(options, terminal);
  },
};

/** A second `up` is not an error: it prints where the hub is. */
async function meetRunning(hub: FoundHub, options: UpOptions, terminal: Terminal): Promise<number> {
  announce({ file: hub.file, stop: "hookline down", isOld: true }, terminal);
  const unused = (["port", "host", "remoteApprovals", "data", "config"] as const).filter((name) => options[name] !== undefined);
  const again = unused.map((name) => (options[name] === true ? flagOf(name) : `${flagOf(name)} ${shellWord(String(options[name]))}`));
  if (unused.length > 0)
    terminal.say(
      `The hub was already running, so ${unused.map(flagOf).join(" and ")} had no effect. To apply: hookline down; hookline up ${again.join(" ")}`,
    );
  return afterStart(options, terminal);
}

async function afterStart({ open, demo }: UpOptions, terminal: Terminal): Promise<number> {
  if (open === true) openDashboard((await makeLink(terminal.env)).url, terminal);
  return demo === true ? runDemo(terminal) : EXIT.ok;
}

/** The background hub writes to its log, so its warnings are printed here. */
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
