import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isOwn, type Managed } from "@hookline/core/internal/machine";
import { quoted } from "@hookline/core/internal/text";
import type { Attached } from "../../agents/attach/attached.js";
import { clientScript } from "../../agents/attach/client-script.js";
import { hasOwnKey, postingAgents } from "../../agents/attach/http-entries.js";
import { KEY_FILE, parseKey } from "../../agents/client/key-file.js";
import { isReadByOthers } from "../../agents/install/agent-file.js";
import { type AttachSetting, readAttachSetting } from "../agents/attach-setting.js";
import { httpCaution } from "../agents/cautions.js";
import { strayKeys } from "../agents/outdated-agents.js";
import { RESTART } from "../find-hub.js";
import { type AgentFault, type AttachedAgent, attachCommand, lookAtEach } from "./attached-agents.js";
import { type Check, type Finding, fail, ok, skip, warn } from "./check.js";

const OTHERS = 0o077;
const GROUP_READS = 0o640;
const FIX = "hookline agents";
const entryFaults: { readonly [state: string]: string } = { gone: "the file is gone", changed: "Hookline's entries were changed" };

/** The files that were written for attached agents. */
export const agentFileChecks: readonly Check[] = [
  {
    id: "agent-entries",
    title: "Attached agents still have their hooks",
    fix: FIX,
    look: (facts) =>
      lookAtEach(facts, ({ attached }) => {
        const fault = entryFaults[attached.state];
        return fault === undefined ? undefined : { detail: `${attached.path}: ${fault}`, fix: attachCommand(attached) };
      }),
  },
  {
    id: "agent-clients",
    title: "The scripts that agents run are intact",
    fix: FIX,
    look: (facts) => lookAtEach(facts, (agent) => findScriptFault(agent, facts.env)),
  },
  {
    id: "agent-key",
    title: "The key of attached agents is yours alone",
    fix: RESTART,
    look: ({ env }) => lookAtKey(readAttachSetting(env)),
  },
  {
    id: "agent-http",
    title: "No agent has a key in its settings",
    fix: FIX,
    look: ({ env }) => lookAtStrays(strayKeys(env)) ?? lookAtHttp(readAttachSetting(env)),
  },
  {
    id: "agent-port",
    title: "Agents that post know where the hub is",
    fix: FIX,
    look(facts) {
      if (facts.running === undefined) return skip("the hub is not running");
      const { url: now } = facts.running;
      return lookAtEach(facts, ({ attached }) => {
        const { agent, path, url = now } = attached;
        if (url === now) return undefined;
        return { detail: `${path}: ${agent} posts to ${url}, and the hub is at ${now}`, fix: attachCommand(attached) };
      });
    },
  },
];

/** Hooks that an older version wrote, and of which no record is left. */
function lookAtStrays(strays: readonly Attached[]): Finding | undefined {
  if (strays.length === 0) return undefined;
  const details = strays.map(({ agent, path }) => `${path}: an older version attached ${agent} and wrote a key into it`);
  return fail(details.join("\n"), "hookline upgrade");
}

/** The worst finding decides. */
function lookAtHttp({ folder, key }: AttachSetting): Finding {
  const all = postingAgents(folder).filter(({ state }) => state !== "gone");
  if (all.length === 0) return ok("attached agents ask through the script");
  const leaks = all.flatMap((posting) => {
    const { agent, path } = posting;
    const isOwn = key !== undefined && hasOwnKey(posting, key);
    if (!isOwn)
      return [{ detail: `${path}: an older version wrote the key of all attached agents into it`, fix: `hookline attach ${agent}` }];
    if (!isReadByOthers(path)) return [];
    return [{ detail: `${path}: other users can read the key in it`, fix: `chmod 600 ${quoted(path)}; hookline token rotate` }];
  });
  if (leaks.length === 0)
    return warn(all.map(({ agent, path }) => `${path}: ${httpCaution(agent)}`).join("\n"), attachCommand(all[0] as Attached));
  return fail(leaks.map(({ detail }) => detail).join("\n"), [...new Set(leaks.map(({ fix }) => fix))].join("; "));
}

function findScriptFault({ attached, definition: agent }: AttachedAgent, env: NodeJS.ProcessEnv): AgentFault | undefined {
  const { folder, socket, managed } = readAttachSetting(env);
  const { name, text } = clientScript({ agent, isStrict: attached.isStrict, env, folder, socket, ...(managed && { managed }) });
  const path = join(folder, name);
  const there = read(path);
  if (there === text) return undefined;
  const fault = there === undefined ? "it does not exist" : "it differs from what this version writes";
  return { detail: `${path}: ${fault}`, fix: attachCommand(attached) };
}

function lookAtKey({ state, managed }: AttachSetting): Finding {
  const path = join(state, "attach", KEY_FILE);
  const anew = `rm ${quoted(path)}; ${RESTART}`;
  const stats = statsOf(path);
  if (stats === undefined) return skip("there is no key yet, or it cannot be seen");
  if (managed !== undefined) return lookAtManagedKey(path, stats, managed);
  if (!stats.isFile() || !isOwn(stats)) return fail(`${path}: it is not a file of yours`, anew);
  const isOpen = process.platform !== "win32" && (stats.mode & OTHERS) !== 0;
  if (isOpen) return fail(`${path}: other users can read it`, `chmod 600 ${quoted(path)}`);
  return parseKey(read(path) ?? "") === undefined ? fail(`${path}: it does not hold a key`, anew) : ok(path);
}

/** The clients of managed agents accept exactly this. */
function lookAtManagedKey(path: string, stats: Stats, { user, group }: Managed): Finding {
  const isGood = stats.isFile() && stats.uid === user && stats.gid === group && (stats.mode & 0o7777) === GROUP_READS;
  return isGood ? ok(path) : fail(`${path}: it is not a file of the hub's user that its group may read`, "sudo systemctl restart hookline");
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
