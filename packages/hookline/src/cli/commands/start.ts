import { inertText } from "@hookline/core/internal/text";
import { agents } from "../../agents/agents.js";
import { askProgram } from "../../agents/attach/find-program.js";
import { canBeStrict } from "../../agents/shared/contract.js";
import type { StatusAnswer } from "../../hub/protocol.js";
import { recommended } from "../../rules/starter/starter-rules.js";
import { guardLevel, isByDocumentation } from "../agents/contract-text.js";
import { askKey } from "../ask-key.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { tableLines } from "../format/table.js";
import { connectIfRunning, type HubClient } from "../hub-client.js";
import { confirmAction } from "../protect/confirm-action.js";
import { reportError } from "../report-error.js";
import { planLines } from "../rules/sets.js";
import { type Launcher, planLauncher, writeLauncher } from "../start/launcher.js";
import { type FoundAgent, findAgents } from "../start/plan-start.js";
import type { Terminal } from "../terminal.js";

interface StartOptions {
  readonly yes?: boolean;
}

/** The first run: finds agents, says what it would do, and does it after a yes. */
export const command: CommandModule<StartOptions> = {
  define(command) {
    command
      .option("--yes", "do it without a question, for scripts")
      .addHelpText("after", "\nShows what it would do first. Without a yes, it changes nothing.")
      .addHelpText("after", examples("hookline start", "hookline start --yes"));
  },

  async run(terminal, { yes = false }) {
    const found = findAgents(terminal.env);
    const open = found.filter(({ isAttached }) => !isAttached);
    if (found.length === 0) return sayNoAgents(terminal);
    const machine = await lookAround(terminal.env);
    await show(found, machine, terminal);
    if (open.length === 0 && machine.tied === undefined) {
      terminal.say("They are all attached. To see their state: hookline agents");
      return EXIT.ok;
    }
    if (!yes && !(await isAgreed(terminal))) return EXIT.ok;
    return (await act(open, machine, terminal)) ? EXIT.ok : EXIT.failed;
  },
};

/** What else the plan depends on. */
interface Machine {
  readonly launcher: Launcher | undefined;
  /** A hub that ends with the terminal it was started in. */
  readonly tied: TiedHub | undefined;
}

interface TiedHub {
  readonly hub: HubClient;
  readonly status: StatusAnswer;
}

async function lookAround(env: NodeJS.ProcessEnv): Promise<Machine> {
  const hub = await connectIfRunning(env);
  const status = await hub?.get<StatusAnswer>("/api/status");
  return { launcher: planLauncher(env), tied: hub !== undefined && status?.isTied === true ? { hub, status } : undefined };
}

const UNKNOWN = { version: "", level: "by its version" };

async function show(found: readonly FoundAgent[], { launcher, tied }: Machine, terminal: Terminal): Promise<void> {
  const rows = found.map(({ agent, path, isAttached, known: { version, level } = UNKNOWN }) => [
    agent.title,
    version,
    `${isAttached ? "attached" : level}${isByDocumentation(agent) ? ", not tried here" : ""}`,
    inertText(path),
  ]);
  terminal.say("Agents on this machine:");
  for (const line of tableLines(["AGENT", "VERSION", "GUARD", "ITS FILE"], rows)) terminal.say(`  ${line}`);
  terminal.say(`
Hookline can guard them. It would:
  1. add the ${recommended.name} rules, which stop or ask about what agents should not do. In shadow mode, a rule only records what it would say
${(await planLines(recommended)).map((line) => `       ${line}`).join("\n")}
  2. ${tied === undefined ? "start the hub in the background" : `start the hub in the background, in place of the one that ends with its terminal (process ${tied.hub.file.pid})`}. It decides by
     these rules and records what agents do. It listens on this machine only
  3. add Hookline's hooks to the files above. Every tool call then asks the hub. With strict, a call is denied when the hub does not answer;
     with best effort, it runs then; with observe, calls are only recorded
  4. show what the agents did in the last 30 days, and what the rules would have stopped${
    launcher === undefined ? "" : `\n  5. make ${inertText(launcher.path)}, so that you can type hookline in any folder`
  }
To undo all of it: hookline uninstall`);
}

/** One key. Everything but a yes leaves all files as they are. */
async function isAgreed(terminal: Terminal): Promise<boolean> {
  const key = await askKey(terminal, "\nDo this now? Press y for yes, or any other key for no: ");
  if (key !== undefined && /^y(es)?\s*$/i.test(key)) return true;
  terminal.say("Nothing was changed.");
  terminal.say(
    key === undefined && !terminal.stdin.isTTY ? "To do it without a question: hookline start --yes" : "To do it later: hookline start",
  );
  return false;
}

/** One step that fails does not stop the others, so that as many agents as possible are guarded. Without a hub, a strict agent could do nothing. */
async function act(open: readonly FoundAgent[], { launcher, tied }: Machine, terminal: Terminal): Promise<boolean> {
  const [rules, up, upgrade, attach, audit] = await Promise.all([
    import("../rules/add.js"),
    import("./up.js"),
    import("./upgrade.js"),
    import("./attach.js"),
    import("./audit.js"),
  ]);
  let isGood = true;
  const step = async (title: string, run: () => Promise<number>): Promise<boolean> => {
    terminal.say(`\n${terminal.paintTalk("bold", title)}`);
    const code = await run().catch((error: unknown) => reportError(error, terminal));
    isGood &&= code === EXIT.ok;
    return code === EXIT.ok;
  };
  const quiet: Terminal = { ...terminal, print: () => {} };
  await step("Rules", () => rules.addSets(quiet, {}, [recommended.name]));
  const isUp = await step("The hub", async () => {
    if (tied === undefined) return up.command.run(terminal, { detach: true }, []);
    await upgrade.replaceHub(tied.hub, tied.status, HAND_OVER_WAIT_MS, quiet);
    return EXIT.ok;
  });
  if (!isUp) {
    terminal.say("\nNo agent was attached, because the hub did not start: with strict, every call would be denied.");
    terminal.say("To continue when the hub can start: hookline start");
    return false;
  }
  for (const { agent, known } of open)
    await step(agent.title, async () => {
      const level = known?.level ?? guardLevel(agent, askProgram(agent.program, terminal.env)?.version);
      const isStrict = canBeStrict(level);
      // The hub may not have run when this command began. Without this, it takes the new record of attached agents for tampering.
      await confirmAction(terminal.env, `Run: hookline attach ${agent.id}${isStrict ? " --strict" : ""}`);
      return attach.command.run(terminal, isStrict ? { strict: true } : {}, [agent.id]);
    });
  await step("The last 30 days", () => audit.command.run(terminal, {}, []));
  if (launcher !== undefined) await step("The command", async () => makeLauncher(launcher, terminal));
  terminal.say(
    "\nThe hub runs in the background until you log out or the machine stops. To start it at every login: hookline service install",
  );
  terminal.say("To see what happens: hookline open --approve. To check an agent: hookline attach <agent> --check");
  return isGood;
}

/** A call that waits for a person at the hub in the terminal is to be answered first. */
const HAND_OVER_WAIT_MS = 60_000;

function makeLauncher(launcher: Launcher, { say, paintTalk }: Terminal): number {
  writeLauncher(launcher);
  say(`Wrote ${inertText(launcher.path)}. You can type hookline in any folder.`);
  if (!launcher.isOnPath)
    say(
      `${paintTalk("yellow", "!")} Your shell does not look there yet. Add this line to its profile: export PATH="$HOME/.local/bin:$PATH"`,
    );
  return EXIT.ok;
}

function sayNoAgents({ say }: Terminal): number {
  say(`No agent that Hookline can guard is on your PATH. It knows: ${agents.map(({ title }) => title).join(", ")}.`);
  say("To see what Hookline does without an agent: hookline demo. All commands: hookline --help");
  return EXIT.ok;
}
