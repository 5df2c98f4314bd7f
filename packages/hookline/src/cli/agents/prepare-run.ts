import { inertText } from "@hookline/core/internal/text";
import { surfaceFaults } from "../../agents/attach/agent-faults.js";
import { type Attached, covers, readAttached } from "../../agents/attach/attached.js";
import { clientScript, entryOptions, putClient } from "../../agents/attach/client-script.js";
import { askProgram } from "../../agents/attach/find-program.js";
import { openRunFolder } from "../../agents/attach/run-folder.js";
import { agentAt } from "../../agents/shared/contract.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import type { RunPlan } from "../../agents/shared/run-plan.js";
import { CliError } from "../cli-error.js";
import type { Terminal } from "../terminal.js";
import { attachSetting, readAttachSetting } from "./attach-setting.js";
import { cautionsOf, noticesOf } from "./cautions.js";
import { requireStrict } from "./contract-text.js";

export interface RunOptions {
  readonly agent: AgentDefinition;
  readonly args: readonly string[];
  readonly isStrict: boolean;
}

/** What an agent is started with. `close` returns what to print after the run. */
type Prepared = Required<Pick<RunPlan, "args" | "env" | "close">>;

/** Prepares one run and prints what the user should know. Throws if `--strict` could not be guaranteed. */
export async function prepareRun({ agent: known, args, isStrict }: RunOptions, terminal: Terminal): Promise<Prepared> {
  const { title } = known;
  const version = askProgram(known.program, terminal.env)?.version;
  if (isStrict) requireStrict(known, version);
  const agent = agentAt(known, version);
  const record = readAttachSetting(terminal.env);
  const attached = readAttached(record.folder).filter((one) => one.agent === agent.id && covers(one, record.cwd));
  const present = attached.filter(({ state }) => state === "as written" || state === "edited");
  if (present.length > 0) return asAttached(agent, { isStrict, args, present }, terminal);

  if (agent.planRun === undefined) throw cannotRun(agent, isStrict);
  const { folder, socket, cwd } = attachSetting(terminal.env, "run");
  const client = clientScript({ agent, isStrict, env: terminal.env, folder, socket });
  putClient(folder, client);
  const run = await openRunFolder(folder);
  const entries = entryOptions({ agent, isStrict, client });
  try {
    const plan = await agent.planRun({ args, env: terminal.env, cwd, isStrict, entries, folder, runFolder: run.path });
    const inactive = plan.inactive ?? surfaceFaults(agent, { env: terminal.env, cwd, args })[0];
    if (inactive !== undefined && isStrict) throw new CliError(`${inactive} Because of --strict, it was not started.`);
    if (inactive !== undefined) terminal.say(`${terminal.paintTalk("yellow", "!")} Hookline does not see this run: ${inertText(inactive)}`);
    else terminal.say(`Hookline watches ${title} for this run${isStrict ? ", in strict mode" : ""}.`);
    for (const text of noticesOf(agent, { scope: "user", path: "" }, terminal.env))
      terminal.say(`${terminal.paintTalk("yellow", "!")} ${text}`);
    return { args: plan.args, env: plan.env, close: () => closed(plan, run.remove) };
  } catch (error) {
    run.remove();
    throw error;
  }
}

/** The agent reads hooks only from its files, and those belong to the user. */
function cannotRun({ title, id }: AgentDefinition, isStrict: boolean): CliError {
  return new CliError(`${title} reads hooks only from its own files, so Hookline cannot watch one run of it. It was not started.`, {
    fix: { run: `hookline attach ${id}${isStrict ? " --strict" : ""}` },
  });
}

function closed({ close = () => [] }: RunPlan, remove: () => void): readonly string[] {
  try {
    return close();
  } finally {
    remove();
  }
}

interface Present {
  readonly isStrict: boolean;
  readonly args: readonly string[];
  readonly present: readonly Attached[];
}

/** An attached agent already has its hooks; with a second set it would ask twice about each call. */
function asAttached(agent: AgentDefinition, { isStrict, args, present }: Present, terminal: Terminal): Prepared {
  const { title, id } = agent;
  const loose = present.find((one) => !one.isStrict);
  if (isStrict && loose !== undefined)
    throw new CliError(`${title} is already attached without --strict, so it would ask twice about each call.`, {
      fix: { run: `hookline attach ${id} --strict${loose.scope === "project" ? " --project" : ""}` },
    });
  const cautions = present.flatMap((one) => cautionsOf(agent, one, terminal.env, args));
  if (isStrict && cautions.length > 0) throw new CliError(`${cautions.join(" ")} Because of --strict, it was not started.`);
  terminal.say(`${title} is already attached; this run needs nothing more.`);
  const notices = present.flatMap((one) => noticesOf(agent, one, terminal.env));
  for (const text of new Set([...cautions, ...notices])) terminal.say(`${terminal.paintTalk("yellow", "!")} ${text}`);
  return { args, env: {}, close: () => [] };
}
