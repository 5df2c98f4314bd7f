import { basename } from "node:path";
import { inertText } from "@hookline/core/internal/text";
import { agents } from "../../agents/agents.js";
import { findProgram } from "../../agents/attach/find-program.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { prepareRun } from "../agents/prepare-run.js";
import { type AgentEnd, notFound, startAgent } from "../agents/start-agent.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { findHub } from "../find-hub.js";
import { text } from "../option-values.js";
import { shortened } from "../report-error.js";
import type { Terminal } from "../terminal.js";

const MAX_ECHO = 200;
const [exampleCommand] = agents.flatMap(({ program }) => program.commands);

export const command: CommandModule<{ readonly strict?: boolean }> = {
  define(command) {
    command
      .argument("<command...>", "the agent and its arguments, after --", words)
      .option("--strict", "deny every guarded call when the hub does not answer")
      .addHelpText("after", "\nChanges none of your files. Exits with the agent's exit code.")
      .addHelpText("after", examples(`hookline run -- ${exampleCommand}`, `hookline run --strict -- ${exampleCommand} -p 'Fix the tests'`));
  },

  async run(terminal, { strict = false }, [name = "", ...args]) {
    const agent = agents.find(({ program }) => program.commands.includes(basename(name).replace(/\.(exe|cmd)$/, "")));
    if (agent === undefined) return runUnknown(name, args, { terminal, strict });
    requireProgram(name, agent, terminal);
    if (!(await isUp(terminal))) sayNoHub(agent, strict, terminal);
    const prepared = await prepareRun({ agent, args, isStrict: strict }, terminal);
    let after: readonly string[] = [];
    const end = await startAgent(name, prepared.args, { ...terminal.env, ...prepared.env }).finally(() => {
      after = prepared.close();
    });
    for (const text of after) terminal.say(inertText(text));
    return endAs(end);
  },
};

/** Checked before anything is printed about the run. On Windows, names in PATH have extensions, so starting the agent reports the error there. */
function requireProgram(name: string, { program }: AgentDefinition, { env }: Terminal): void {
  if (process.platform === "win32" || name.includes("/") || findProgram({ ...program, commands: [name] }, env) !== undefined) return;
  throw notFound(name);
}

/** The name of the program is plain text; its arguments may be anything. */
function words(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, before.length === 0 ? text(value) : value];
}

function runUnknown(name: string, args: readonly string[], { terminal, strict }: { terminal: Terminal; strict: boolean }): Promise<number> {
  const known = agents.flatMap(({ program }) => program.commands).join(", ");
  const what = `"${shortened(name, MAX_ECHO)}" is not an agent that Hookline can watch (${known}).`;
  if (strict)
    throw new CliError(`${what} Because of --strict, it was not started.`, { exitCode: EXIT.usage, fix: { run: "hookline agents" } });
  terminal.say(`${what} It runs unwatched. A program that uses @hookline/core connects to the hub itself (connectToHub).`);
  return startAgent(name, args, terminal.env).then(endAs);
}

async function isUp({ env }: Terminal): Promise<boolean> {
  return findHub(env).then(
    () => true,
    () => false,
  );
}

function sayNoHub({ title }: AgentDefinition, isStrict: boolean, { say, paintTalk }: Terminal): void {
  const what = isStrict ? `every call of ${title} is denied until one starts` : `the calls of ${title} continue unseen and are counted`;
  say(`${paintTalk(isStrict ? "red" : "yellow", "!")} No hub is running: ${what}. Run: hookline up --detach`);
}

/** The parent process sees how the agent ended, even if a signal ended it. */
function endAs({ exitCode, signal }: AgentEnd): number {
  if (signal !== null) process.kill(process.pid, signal);
  return exitCode;
}
