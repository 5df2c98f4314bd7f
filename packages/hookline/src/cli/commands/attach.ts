import { readAttached } from "../../agents/attach/attached.js";
import { findProgram } from "../../agents/attach/find-program.js";
import { withoutKeys } from "../../agents/attach/http-entries.js";
import { type AttachPlan, applyAttach, planAttach } from "../../agents/attach/plan-attach.js";
import { noteProgram } from "../../agents/attach/program-record.js";
import type { AgentProgram } from "../../agents/attach/programs.js";
import type { Scope } from "../../agents/claude-code/install.js";
import { httpKeyOf } from "../../agents/client/attach-key.js";
import type { AttachKey } from "../../agents/client/key-file.js";
import { readAgent } from "../agents/agent-argument.js";
import { type AttachSetting, attachSetting } from "../agents/attach-setting.js";
import { cautionsOf, httpCaution } from "../agents/cautions.js";
import { checkAttached } from "../agents/check-attached.js";
import { dropKeys } from "../agents/drop-keys.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { findHub } from "../find-hub.js";
import { inert, inertLines } from "../format/inert.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";

interface AttachCommandOptions {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly strict?: boolean;
  readonly http?: boolean;
  readonly dryRun?: boolean;
  readonly check?: boolean;
}

export const command: CommandModule<AttachCommandOptions> = {
  define(command) {
    command
      .argument("<agent>", "claude-code, codex, gemini or copilot", text)
      .option("--user", "for every session of yours (default)")
      .option("--project", "for sessions in this folder")
      .option("--strict", "when the hub does not answer, nothing that it guards runs")
      .option("--http", "Claude Code posts to the hub itself: faster, and its settings then hold a key")
      .option("--dry-run", "show what would be written, and write nothing")
      .option("--check", "send a canary that must be denied, the way the agent does")
      .addHelpText(
        "after",
        examples("hookline attach claude-code --dry-run", "hookline attach claude-code --strict", "hookline attach codex --check"),
      );
  },

  async run(terminal, { project = false, strict = false, http = false, dryRun = false, check = false }, [id = ""]) {
    const program = readAgent(id);
    const setting = attachSetting(terminal.env);
    if (check) return checkAttached(program, setting, terminal);
    const scope = project ? "project" : "user";
    const { folder, socket, cwd } = setting;
    const posting = http ? { http: httpOf(program, { scope, isStrict: strict }, setting) } : {};
    const plan = planAttach({ program, scope, isStrict: strict, env: terminal.env, folder, socket, cwd, ...posting });
    checkOtherScope(program, { scope, folder: setting.folder, path: plan.edit.target.path }, terminal);
    if (dryRun) {
      terminal.print(plan.edit.diff === "" ? "Nothing would change." : inertLines(withoutKeys(plan.edit.diff.trimEnd())));
      return EXIT.ok;
    }
    applyAttach(plan);
    await dropKeys(plan.edit, terminal);
    noteProgram(setting.folder, program.dialect.id, findProgram(program.commands, program.package, terminal.env));
    const isHubUp = await findHub(terminal.env).then(
      () => true,
      () => false,
    );
    report(program, plan, { isStrict: strict, isHubUp }, terminal);
    return EXIT.ok;
  },
};

/** What an agent is told that is to post by itself. Throws where that must not or cannot be. */
function httpOf(
  { dialect: { id, title, canPost } }: AgentProgram,
  { scope, isStrict }: { readonly scope: Scope; readonly isStrict: boolean },
  { url, key }: AttachSetting & { readonly key: AttachKey },
): { readonly url: string; readonly token: string } {
  const refuse = (why: string, next: string): never => {
    throw new CliError(why, { exitCode: EXIT.usage, next });
  };
  if (canPost !== true) return refuse(`${title} cannot post to the hub by itself.`, `hookline attach ${id}`);
  if (scope === "project") return refuse("With --http a key would stand in a file of the project.", `hookline attach ${id} --project`);
  if (isStrict)
    return refuse(`With --http ${title} goes on when the hub does not answer: that is not --strict.`, `hookline attach ${id} --strict`);
  if (url === undefined)
    throw new CliError("With --http the hub's address is written down, and no hub is running.", { next: "hookline up --detach" });
  return { url, token: httpKeyOf(key, id) };
}

interface Place {
  readonly scope: Scope;
  readonly folder: string;
  readonly path: string;
}

/** Hooks of the user and of the project both run. */
function checkOtherScope(
  { dialect: { id, title }, deliversTwice }: AgentProgram,
  { scope, folder, path }: Place,
  terminal: Terminal,
): void {
  const other = readAttached(folder).find((one) => one.agent === id && one.scope !== scope && one.path !== path);
  if (other === undefined || other.state === "gone") return;
  const where = other.scope === "project" ? `for the project of ${other.path}` : "for every session of yours";
  if (deliversTwice === true)
    throw new CliError(`${title} is attached ${where} already, and would ask about each call twice.`, {
      next: `hookline detach ${id}${other.scope === "project" ? " --project" : ""}`,
    });
  terminal.say(`It is attached ${inert(where)}, too: where both hold, a call is asked about once, and other events come twice.`);
}

interface Situation {
  readonly isStrict: boolean;
  readonly isHubUp: boolean;
}

function report(program: AgentProgram, { edit, transport }: AttachPlan, { isStrict, isHubUp }: Situation, terminal: Terminal): void {
  const { title, id } = program.dialect;
  const found = findProgram(program.commands, program.package, terminal.env);
  const how = transport === "http" ? "It posts to the hub itself." : "Its hooks run a small script that asks the hub.";
  const mark = terminal.paintTalk("yellow", "!");
  terminal.print(edit.target.path);
  terminal.say(`${title} is attached${edit.change === "none" ? " already, and nothing changed" : ""}. ${how}`);
  if (isStrict) terminal.say("Strict: when the hub does not answer, its calls are denied.");
  else if (transport === "client")
    terminal.say("When the hub does not answer, its calls go on, and that is counted. To deny them instead: --strict");
  if (found === undefined) terminal.say(`It is not in the PATH, though: nothing called ${program.commands.join(" or ")} was found.`);
  else if (found.version !== undefined && found.version !== program.tried)
    terminal.say(`This is ${inert(found.version)}; ${program.tried} was tried. See that it works: hookline attach ${id} --check`);
  for (const text of cautionsOf(program, edit.target, terminal.env)) terminal.say(`${mark} ${text}`);
  if (transport === "http") terminal.say(`${mark} ${httpCaution(id)}`);
  if (!isHubUp) terminal.say("No hub is running. Start one: hookline up --detach");
  terminal.say(`To take it back: hookline detach ${id}${edit.target.scope === "project" ? " --project" : ""}`);
}
