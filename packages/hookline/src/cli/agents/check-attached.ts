import { inertText } from "@hookline/core/internal/text";
import { askCanary, type CanaryAnswer } from "../../agents/attach/ask-canary.js";
import { type Attached, readAttached } from "../../agents/attach/attached.js";
import { hookFaults } from "../../agents/attach/effective-hooks.js";
import { askProgram } from "../../agents/attach/find-program.js";
import { findInstalled } from "../../agents/install/installed.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import type { PauseAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { findHub } from "../find-hub.js";
import { pauseWarning } from "../format/pause-text.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";
import type { AttachSetting } from "./attach-setting.js";
import { cautionsOf, faultsOf, httpCaution, noticesOf } from "./cautions.js";
import { levelCaution } from "./contract-text.js";

/** `hookline attach <agent> --check`: does what the agent would do, with a call that must be denied. */
export async function checkAttached(agent: AgentDefinition, setting: AttachSetting, terminal: Terminal): Promise<number> {
  const { title, id } = agent;
  const found = readAttached(setting.folder).filter(({ agent }) => agent === id);
  const [attach, start] =
    setting.managed === undefined
      ? [`hookline attach ${id}`, "hookline up --detach"]
      : [`sudo hookline attach --managed ${id}`, "sudo systemctl start hookline"];
  if (found.length === 0) throw new CliError(`${title} is not attached.`, { fix: { run: attach } });
  let isGood = true;
  let isReached = true;
  let isExplained = true;
  for (const attached of found) {
    const answer = (await findStranger(attached, terminal.env)) ?? (await askCanary(agent, attached, setting));
    const { isDenied, isFromHub, stray, unasked } = answer;
    const faults = [
      ...faultsOf(agent, attached, terminal.env),
      ...hookFaults(agent, attached, setting.folder, recordedEvents(setting.folder, attached)),
      ...(stray === undefined ? [] : [strayText(agent, stray)]),
      ...proxyFaults(attached, terminal.env),
    ];
    // A denial by a strict client does not show that the hub was reached.
    const isGuarded = isDenied && isFromHub && faults.length === 0;
    isGood &&= isGuarded;
    // Whether the hub can be reached was not found out.
    const isUnknown = unasked?.command !== undefined;
    isReached &&= isFromHub || isUnknown;
    const [cause, ...others] = faults;
    isExplained &&= isGuarded || cause !== undefined || isUnknown;
    const mark = isGuarded ? terminal.paint("green", "ok  ") : terminal.paint("red", "FAIL");
    const canary = canaryText(answer);
    // A denied canary is good, so the cause of the failure comes before it.
    const result = cause === undefined ? canary : `${terminal.typeable(inertText(cause))} When Hookline runs the hook itself, ${canary}`;
    terminal.print(`${mark} ${inertText(attached.path)}: ${result}`);
    const cautions = cautionsOf(agent, attached, terminal.env).filter((text) => text !== cause);
    for (const text of new Set([...others, ...cautions, ...noticesOf(agent, attached, terminal.env)])) terminal.say(inertText(text));
    if (attached.transport === "http") terminal.say(httpCaution(id));
    if (unasked?.command !== undefined) terminal.say(`Make \`${unasked.command}\` run, then check again: hookline attach ${id} --check`);
  }
  const level = levelCaution(agent, askProgram(agent.program, terminal.env)?.version);
  if (level !== undefined) terminal.say(`${terminal.paintTalk("yellow", "!")} ${level}`);
  const paused = await pauseOf(terminal.env);
  if (paused !== undefined) terminal.say(`${terminal.paintTalk("red", "!")} The hub can be reached. ${pauseWarning(paused)}`);
  if (!isReached) terminal.say(`To find the cause: hookline doctor. To start the hub: ${start}`);
  else if (!isExplained) terminal.say("To find the cause: hookline doctor");
  return isGood && paused === undefined ? EXIT.ok : EXIT.failed;
}

function canaryText({ isDenied, isFromHub, how, unasked }: CanaryAnswer): string {
  if (unasked !== undefined) return `${unasked.what}: ${inertText(how)}`;
  if (!isDenied) return `the canary was let through (${inertText(how)})`;
  return isFromHub ? "the canary was denied" : "the canary was denied without the hub, which was not reached";
}

/** The events that `attach` wrote hooks for. */
function recordedEvents(folder: string, { path }: Attached): readonly string[] {
  return Object.keys(findInstalled(folder, path)?.entries ?? {});
}

function strayText({ title }: AgentDefinition, stray: string): string {
  return `The shell in which ${title} starts its hooks prints other text first, so ${title} ignores rewrites and other JSON answers: ${JSON.stringify(stray)}. Remove it from the shell's start-up files.`;
}

/** Claude Code sends http hooks to a proxy, even those for this machine. */
function proxyFaults({ transport }: Attached, env: NodeJS.ProcessEnv): readonly string[] {
  const name = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].find((one) => (env[one] ?? "") !== "");
  if (transport !== "http" || name === undefined) return [];
  return [`${name} is set: the agent sends its http hooks to that proxy and not to the hub. Attach it without --http.`];
}

/** The hub itself denies the canary, so a denial does not show that guards are on. */
async function pauseOf(env: NodeJS.ProcessEnv): Promise<PauseAnswer["paused"]> {
  const hub = await connectHub(env).catch(() => undefined);
  return (await hub?.get<PauseAnswer>("/api/pause"))?.paused;
}

/** The key of an agent that posts to the hub itself is sent only after the hub has proved itself. */
async function findStranger({ transport, url }: Attached, env: NodeJS.ProcessEnv): Promise<CanaryAnswer | undefined> {
  if (transport !== "http") return undefined;
  const hub = await findHub(env).catch(() => undefined);
  if (hub?.file.url === url) return undefined;
  const where = hub === undefined ? "no hub is running" : `the hub is at ${hub.file.url}`;
  return { isDenied: false, isFromHub: false, how: `it posts to ${url}, and ${where}`, unasked: { what: "the canary was not sent" } };
}
