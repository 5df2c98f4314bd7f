import { inertLines, inertText } from "@hookline/core/internal/text";
import { agents } from "../../agents/agents.js";
import { readAttached } from "../../agents/attach/attached.js";
import { askProgram, type FoundProgram, noteProgram } from "../../agents/attach/find-program.js";
import { withoutKeys } from "../../agents/attach/http-entries.js";
import { type AttachPlan, applyAttach, planAttach } from "../../agents/attach/plan-attach.js";
import { httpKeyOf } from "../../agents/client/attach-key.js";
import type { AttachKey } from "../../agents/client/key-file.js";
import { agentAt } from "../../agents/shared/contract.js";
import type { AgentDefinition, InstallTarget } from "../../agents/shared/definition.js";
import { agentNames, EXAMPLE_AGENT, OTHER_EXAMPLE_AGENT, readAgent } from "../agents/agent-argument.js";
import { attachManaged } from "../agents/attach-managed.js";
import { type AttachSetting, attachSetting, managedSetting, readAttachSetting } from "../agents/attach-setting.js";
import { cautionsOf, faultsOf, httpCaution, noticesOf } from "../agents/cautions.js";
import { checkAttached } from "../agents/check-attached.js";
import { isByDocumentation, levelCaution, requireStrict, strictText, versionCaution } from "../agents/contract-text.js";
import { dropKeys } from "../agents/rotate-keys.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { findHub } from "../find-hub.js";
import { text } from "../option-values.js";
import { addSelfProtection } from "../rules/add.js";
import type { Terminal } from "../terminal.js";

interface AttachCommandOptions {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly managed?: boolean;
  readonly strict?: boolean;
  readonly http?: boolean;
  readonly dryRun?: boolean;
  readonly check?: boolean;
}

export const command: CommandModule<AttachCommandOptions> = {
  define(command) {
    command
      .argument("<agent>", agentNames(), text)
      .option("--user", "for all your sessions (default)")
      .option("--project", "for sessions in this folder")
      .option(
        "--managed",
        "for all users of this machine, who cannot undo it: needs root and the hub of `hookline service install --system`",
      )
      .option("--strict", "deny every guarded call when the hub does not answer; kept when you attach again")
      .option("--no-strict", "let calls continue when the hub does not answer, also if it was attached with --strict")
      .option("--http", `${posting} posts to the hub itself: faster, and its settings then hold a key`)
      .option("--dry-run", "show the change without making it")
      .option("--check", "send a canary as the agent would, and check that it is denied")
      .addHelpText(
        "after",
        examples(
          `hookline attach ${EXAMPLE_AGENT} --dry-run`,
          `hookline attach ${EXAMPLE_AGENT} --strict`,
          `hookline attach ${OTHER_EXAMPLE_AGENT} --check`,
          `sudo hookline attach --managed ${EXAMPLE_AGENT}`,
        ),
      );
  },

  async run(terminal, { user, project = false, managed = false, strict: asked, http = false, dryRun = false, check = false }, [id = ""]) {
    const known = readAgent(id);
    const other = Object.entries({ user, project, http }).find(([, isGiven]) => isGiven === true);
    if (managed && other !== undefined)
      throw new CliError(`--managed is for all users, so --${other[0]} does not go with it.`, { exitCode: EXIT.usage });
    if (managed && asked === false)
      throw new CliError("--managed is always strict, so --no-strict does not go with it.", { exitCode: EXIT.usage });
    if (check) return checkAttached(known, managed ? managedSetting() : readAttachSetting(terminal.env), terminal);
    if (managed) return attachManaged(known, dryRun, terminal);
    const found = askProgram(known.program, terminal.env);
    const agent = agentAt(known, found?.version);
    const target = project ? "project" : "user";
    if (asked === true) requireStrict(known, found?.version);
    const setting = attachSetting(terminal.env, "attach");
    checkTarget(agent, target);
    const { folder, socket, cwd } = setting;
    const wasStrict = isAttachedStrict(agent, { target, folder, path: agent.install.settingsPath(target, terminal.env, cwd) });
    const strict = asked ?? wasStrict;
    if (strict) requireStrict(known, found?.version, wasStrict);
    const way = http ? { http: httpOf(agent, { target, isStrict: strict, wasStrict }, setting) } : {};
    const plan = planAttach({ agent, target, isStrict: strict, env: terminal.env, folder, socket, cwd, ...way });
    checkOtherTarget(agent, { target, folder: setting.folder, path: plan.edit.target.path }, terminal);
    if (dryRun) {
      const diff = [plan.edit, ...plan.parts].map((one) => one.diff).join("") + (plan.lock?.diff ?? "");
      terminal.print(diff === "" ? "Nothing would change." : inertLines(withoutKeys(diff.trimEnd())));
      return EXIT.ok;
    }
    applyAttach(plan);
    // Hookline has never seen this agent read its file, so the user may want to.
    if (isByDocumentation(agent) && plan.edit.diff !== "") terminal.print(inertLines(withoutKeys(plan.edit.diff.trimEnd())));
    await dropKeys(plan.edit, terminal);
    noteProgram(setting.folder, agent.id, found);
    const isHubUp = await findHub(terminal.env).then(
      () => true,
      () => false,
    );
    // A version that was not tried before is tried now.
    const isTried = !isHubUp || versionCaution(agent, found?.version) === undefined;
    report(agent, plan, { isStrict: strict, isKept: asked === undefined && strict, isHubUp, isTried, found }, terminal);
    await addSelfProtection(terminal, setting.folder);
    if (isTried) return EXIT.ok;
    const code = await checkAttached(agent, setting, terminal);
    // What the user has to do first was said above.
    return faultsOf(agent, plan.edit.target, terminal.env).length > 0 ? EXIT.ok : code;
  },
};

/** The agents that `--http` is for. */
const posting = agents
  .filter(({ install }) => install.canPost === true)
  .map(({ title }) => title)
  .join(" or ");

function checkTarget({ id, title, install }: AgentDefinition, target: InstallTarget): void {
  if (install.targets.includes(target)) return;
  const [other = "user"] = install.targets;
  throw new CliError(`${title} does not support hooks for ${target === "project" ? "one project" : "all sessions"}.`, {
    exitCode: EXIT.usage,
    fix: { run: `hookline attach ${id} --${other}` },
  });
}

/** What an agent needs to post to the hub itself. Throws if the agent cannot or must not do that. */
function httpOf(
  { id, title, install: { canPost } }: AgentDefinition,
  { target, isStrict, wasStrict }: { readonly target: InstallTarget; readonly isStrict: boolean; readonly wasStrict: boolean },
  { url, key }: AttachSetting & { readonly key: AttachKey },
): { readonly url: string; readonly token: string } {
  const refuse = (why: string, run: string): never => {
    throw new CliError(why, { exitCode: EXIT.usage, fix: { run } });
  };
  if (canPost !== true) return refuse(`${title} cannot post to the hub itself.`, `hookline attach ${id}`);
  if (target === "project") return refuse("With --http, a file of the project would contain a key.", `hookline attach ${id} --project`);
  if (isStrict)
    return refuse(
      `With --http, ${title} continues when the hub does not answer, so ${wasStrict ? "it would no longer be strict, as it is now" : "--strict cannot be guaranteed"}.`,
      wasStrict ? `hookline attach ${id} --http --no-strict` : `hookline attach ${id} --strict`,
    );
  if (url === undefined)
    throw new CliError("With --http, the agent's settings contain the hub's address, but no hub is running.", {
      fix: { run: "hookline up --detach" },
    });
  return { url, token: httpKeyOf(key, id) };
}

interface Place {
  readonly target: InstallTarget;
  readonly folder: string;
  readonly path: string;
}

/** Whether it is attached there with `--strict`. Attaching it again never loosens that unasked. */
function isAttachedStrict({ id }: AgentDefinition, { target, folder, path }: Place): boolean {
  return readAttached(folder).some((one) => one.agent === id && one.scope === target && one.path === path && one.isStrict);
}

/** Hooks of the user and of the project would both run. */
function checkOtherTarget(
  { id, title, install: { deliversTwice } }: AgentDefinition,
  { target, folder, path }: Place,
  terminal: Terminal,
): void {
  const other = readAttached(folder).find((one) => one.agent === id && one.scope !== target && one.path !== path);
  if (other === undefined || other.state === "gone") return;
  const where = other.scope === "project" ? `for the project of ${other.path}` : "for all your sessions";
  if (deliversTwice === true)
    throw new CliError(`${title} is already attached ${where}, so it would ask twice about each call.`, {
      fix: { run: `hookline detach ${id}${other.scope === "project" ? " --project" : ""}` },
    });
  terminal.say(`It is also attached ${inertText(where)}. Where both apply, it asks once about each call and sends other events twice.`);
}

interface Situation {
  readonly isStrict: boolean;
  /** It was strict before, and nothing was said about it now. */
  readonly isKept: boolean;
  readonly isHubUp: boolean;
  /** Otherwise the canary shows next whether it is guarded. */
  readonly isTried: boolean;
  readonly found: FoundProgram | undefined;
}

function report(
  agent: AgentDefinition,
  { edit, transport, lock }: AttachPlan,
  { isStrict, isKept, isHubUp, isTried, found }: Situation,
  terminal: Terminal,
): void {
  const { title, id, program } = agent;
  const how =
    transport === "http"
      ? "It posts to the hub itself."
      : agent.install.plugin === undefined
        ? "Its hooks run a small script that asks the hub."
        : "It loads a plugin that asks the hub.";
  const mark = terminal.paintTalk("yellow", "!");
  terminal.print(edit.target.path);
  if (lock?.after !== undefined && lock.diff !== "") terminal.print(lock.file.path);
  const faults = faultsOf(agent, edit.target, terminal.env);
  // "Attached" is said only of an agent that is guarded now.
  if (faults.length === 0 && isHubUp)
    terminal.say(
      isTried
        ? `${title} is ${edit.change === "none" ? "already attached; nothing changed" : "attached"}. ${how}`
        : `${title} ${edit.change === "none" ? "already has" : "now has"} Hookline's hooks. ${how}`,
    );
  else
    terminal.say(
      `${mark} ${title} is not guarded yet: ${edit.change === "none" ? "its settings already have" : "its settings now have"} Hookline's hooks, but ${faults.length === 0 ? "no hub is running" : "it does not run them"}.`,
    );
  if (isStrict) {
    const level = strictText(agent, found?.version);
    const what = isKept ? `Still ${level}` : `${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    terminal.say(`${what}: when the hub does not answer, guarded calls are denied.`);
  }
  if (isKept)
    terminal.say(`To let them continue instead: hookline attach ${id}${edit.target.scope === "project" ? " --project" : ""} --no-strict`);
  else if (!isStrict && transport === "client" && levelCaution(agent, found?.version) === undefined)
    terminal.say("When the hub does not answer, calls continue and are counted. To deny them instead, use --strict.");
  if (found === undefined) terminal.say(`Note: ${program.commands.join(" or ")} is not on your PATH.`);
  for (const text of [levelCaution(agent, found?.version), versionCaution(agent, found?.version)])
    if (text !== undefined) terminal.say(`${mark} ${text}`);
  if (agent.install.readsOnce === true && edit.change !== "none")
    terminal.say(`${mark} It reads its settings when it starts: sessions that are already running are not guarded.`);
  for (const text of [...cautionsOf(agent, edit.target, terminal.env), ...noticesOf(agent, edit.target, terminal.env)])
    terminal.say(`${mark} ${text}`);
  if (transport === "http") terminal.say(`${mark} ${httpCaution(id)}`);
  if (!isHubUp) terminal.say("To start the hub: hookline up --detach");
  if (faults.length > 0) terminal.say(`To check it then: hookline attach ${id} --check`);
  terminal.say(`To undo this: hookline detach ${id}${edit.target.scope === "project" ? " --project" : ""}`);
}
