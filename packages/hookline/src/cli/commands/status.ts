import { join } from "node:path";
import { inertJson, inertText } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import type { Attached } from "../../agents/attach/attached.js";
import { readMissTotals } from "../../agents/client/misses.js";
import { readInstalled } from "../../agents/install/installed.js";
import { configPath } from "../../config/config-path.js";
import { MODE_MEANS } from "../../hub/mode.js";
import type { HandlersAnswer, StatusAnswer } from "../../hub/protocol.js";
import { readAttachSetting } from "../agents/attach-setting.js";
import { strictText } from "../agents/contract-text.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { saysNoHub } from "../find-hub.js";
import { alarmWarning } from "../format/alarm-text.js";
import { bytesText, countText, durationText } from "../format/amounts.js";
import { pauseWarning } from "../format/pause-text.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { countsText, guardsOf, guardWarnings, rulesText } from "../status/guards.js";
import type { Terminal } from "../terminal.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 4 when the hub is not running.")
      .addHelpText("after", examples("hookline status", "hookline status --json | jq .url"));
  },

  async run(terminal, { json = false }) {
    const hub = await connectHub(terminal.env).catch(async (error: unknown) => {
      const { problems, fix } = await configProblems(terminal.env);
      const reason = error instanceof CliError ? error.message : String(error);
      if (json)
        terminal.print(inertJson(JSON.stringify({ running: false, reason, ...(problems.length > 0 && { problems }) }, undefined, 2)));
      for (const problem of problems) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inertText(problem)}`);
      if (problems.length === 0 || !saysNoHub(error)) throw error;
      // `hookline up` would end with the same problem.
      throw new CliError(reason, { exitCode: EXIT.notRunning, fix, cause: error });
    });
    const status = await readStatus(hub, terminal.env);
    if (json) terminal.print(inertJson(JSON.stringify(status, undefined, 2)));
    else for (const [label, text] of rowsOf(status, terminal)) terminal.print(`${terminal.paint("dim", label.padEnd(9))} ${text}`);
    warn(status, terminal);
    return EXIT.ok;
  },
};

/** What prevents a hub from starting with the default `hookline.toml`, and the command that repairs it; empty if it would start. */
async function configProblems(env: NodeJS.ProcessEnv) {
  const [{ loadConfig }, { formatProblem, repairOf }] = await Promise.all([
    import("../../config/load-config.js"),
    import("../../config/problem.js"),
  ]);
  const { config, path, problems: found } = await loadConfig(configPath(env));
  const problems = found.map((problem) => `${formatProblem(problem)} The hub does not start until this is fixed.`);
  return { problems: config === undefined ? problems : [], fix: repairOf(path, found) };
}

/** What knows the agents' files is loaded only if there are any: it would take half of the time of this command. */
async function readAgents(folder: string): Promise<readonly Attached[]> {
  if (readInstalled(folder).length === 0) return [];
  return (await import("../../agents/attach/attached.js")).readAttached(folder);
}

/** A hub that an upgrade of the package has left running may not know all of it. */
async function readAnswer(hub: HubClient): Promise<StatusAnswer> {
  const answer = await hub.get<StatusAnswer>("/api/status");
  if ("decisions" in answer || answer.status === "store_failed") return answer;
  throw new CliError(`The hub (process ${hub.file.pid}) runs, but is of an older version than this command.`, {
    fix: { run: "hookline upgrade" },
  });
}

type Status = Awaited<ReturnType<typeof readStatus>>;

async function readStatus(hub: HubClient, env: NodeJS.ProcessEnv) {
  const [{ status, version, mode, data, isTied, urls, note, paused, store, decisions, sources, sinks, alarms, ...guards }, handlers] =
    await Promise.all([readAnswer(hub), hub.get<HandlersAnswer>("/api/handlers")]);
  const attached = await readAgents(readAttachSetting(env).folder);
  const { url, line, http, pid, startedAt, instance } = hub.file;
  return {
    running: true,
    version,
    mode,
    disk: status === "disk_full" ? "full" : "ok",
    store: status === "store_failed" ? "failing" : "ok",
    pid,
    isTied,
    startedAt,
    uptimeMs: Math.max(0, Date.now() - Date.parse(startedAt)),
    url,
    urls,
    sockets: { line, http },
    instance,
    state: hub.folder,
    data,
    ...(note !== undefined && { note }),
    ...(paused !== undefined && { paused }),
    ...(store !== undefined && { events: store.events, bytes: store.bytes }),
    ...(decisions !== undefined && { decisions: { ...decisions.head, missing: decisions.missing } }),
    ...guardsOf(guards, handlers),
    alarms,
    missed: readMissTotals(join(hub.folder, "attach")).reduce((sum, { count }) => sum + count, 0),
    attached: attached.map(({ agent, scope, isStrict, state }) => ({ agent, scope, isStrict, state })),
    sources: sources.map(({ source, received, gaps, counters }) => ({ ...source, received, gaps, dropped: total(counters?.dropped) })),
    sinks: sinks.map(({ name, type, state, sent, dropped, behind, lastError }) => ({
      name,
      type,
      state,
      sent,
      dropped: total(dropped),
      behind,
      lastError,
    })),
  };
}

function strictWord(id: string): string {
  const agent = findAgent(id);
  return agent === undefined ? "strict" : strictText(agent);
}

function rowsOf(
  {
    version,
    mode,
    pid,
    isTied,
    uptimeMs,
    urls,
    sockets,
    state,
    data,
    events,
    bytes = 0,
    paused,
    rules,
    faults,
    hooks,
    attached,
    sources,
    sinks,
  }: Status,
  { typeable }: Pick<Terminal, "typeable">,
): (readonly [string, string])[] {
  return [
    ["hub", `running, version ${version}, process ${pid}, for ${durationText(uptimeMs)}${isTied ? "; it ends with its terminal" : ""}`],
    ["mode", `${mode}: ${MODE_MEANS[mode]}${mode === "plain" ? ` To change that: ${typeable("hookline protect on")}` : ""}`],
    ["listens", listText([...urls, `${sockets.http} (HTTP)`, `${sockets.line} (processes with connectToHub)`], "nowhere")],
    ["state", state],
    ["events", events === undefined ? `cannot be read, in ${data}` : `${countText(events, "event")}, ${bytesText(bytes)}, in ${data}`],
    ...(paused === undefined ? [] : [["guards", `paused until ${paused.until} by ${inertText(paused.by)}`] as const]),
    ["rules", rulesText({ rules, faults })],
    ["hooks", countsText(hooks.counts)],
    [
      "agents",
      listText(
        attached.map(
          ({ agent, scope, isStrict, state }) =>
            `${agent} (${scope}${isStrict && scope !== "managed" ? `, ${strictWord(agent)}` : ""}${STATES[state]})`,
        ),
        "none attached",
      ),
    ],
    [
      "processes",
      listText(
        sources.map(({ app, pid, received }) => `${inertText(app)} (process ${pid}, ${countText(received, "event")})`),
        "none connected",
      ),
    ],
    [
      "sinks",
      listText(
        sinks.map(({ name, type, state, behind }) => `${inertText(name)} (${inertText(type)}, ${state}, ${behind} behind)`),
        "none",
      ),
    ],
  ];
}

const STATES: { readonly [S in Attached["state"]]: string } = {
  "as written": "",
  edited: "",
  changed: ", its hooks were changed",
  gone: ", its file is gone",
};

function listText(items: readonly string[], none: string): string {
  return items.length === 0 ? none : items.join(`\n${" ".repeat(10)}`);
}

function warn(status: Status, { say, paintTalk }: Terminal): void {
  const { disk, store, missed, note, paused, decisions, sources, sinks, alarms } = status;
  const mark = paintTalk("yellow", "!");
  if (alarms.waiting > 0) say(`${paintTalk("red", "!")} ${alarmWarning(alarms)}`);
  if (paused !== undefined) say(`${mark} ${pauseWarning(paused)}`);
  if (disk === "full") say(`${mark} The disk is full: the hub accepts no events until there is space. Run: hookline doctor`);
  if (store === "failing") say(`${mark} The store fails, so the hub accepts no events; its log says why. Run: hookline doctor`);
  if ((decisions?.missing ?? 0) > 0) say(`${mark} Decisions are missing from the store. Run: hookline verify`);
  if (note !== undefined) say(`${mark} ${note}`);
  for (const text of guardWarnings(status)) say(`${mark} ${text}`);
  if (missed > 0) say(`${mark} Attached agents made ${countText(missed, "call")} without the hub. Run: hookline agents`);
  for (const { app, dropped, gaps } of sources)
    if (dropped + gaps > 0)
      say(`${mark} ${inertText(app)} has dropped ${countText(Math.max(dropped, gaps), "event")}. Run: hookline doctor`);
  for (const { name, state, lastError = "no reason given" } of sinks)
    if (state === "failing")
      say(`${mark} The sink ${inertText(name)} fails: ${inertText(lastError).replace(/\.$/, "")}. Run: hookline doctor`);
}

function total(counts: { readonly [reason: string]: number } = {}): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
