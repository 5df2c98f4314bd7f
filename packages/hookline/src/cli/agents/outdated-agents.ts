import { join } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { agents, findAgent } from "../../agents/agents.js";
import { type Attached, asAttached, projectOf, readAttached } from "../../agents/attach/attached.js";
import { hasOwnKey, keysIn, type PostingAgent, postingAgents } from "../../agents/attach/http-entries.js";
import { planAttach } from "../../agents/attach/plan-attach.js";
import { httpKeyOf } from "../../agents/client/attach-key.js";
import { readRegularFile } from "../../machine/regular-file.js";
import { attachCommand } from "../doctor/attached-agents.js";
import { EXIT } from "../exit-codes.js";
import { confirmAction } from "../protect/confirm-action.js";
import { reportError } from "../report-error.js";
import type { Terminal } from "../terminal.js";
import { type AttachSetting, readAttachSetting } from "./attach-setting.js";

/** An agent whose hooks are not as this version writes them. */
interface OutdatedAgent {
  readonly attached: Attached;
  /** It posts to the hub itself, with a key of its own. */
  readonly posts: boolean;
}

/** The agents that an older version attached. Hooks that the user has changed or removed do not count: they are not restored. */
export function outdatedAgents(env: NodeJS.ProcessEnv): readonly OutdatedAgent[] {
  const setting = readAttachSetting(env);
  const posting = postingAgents(setting.folder);
  const recorded = readAttached(setting.folder);
  const known = recorded.flatMap((attached) => {
    const posts = isOwnPost(
      posting.find(({ path }) => path === attached.path),
      setting,
    );
    const isWhole = attached.state === "as written" || attached.state === "edited";
    return isWhole && attached.scope !== "managed" && isOutdated(attached, posts, setting, env) ? [{ attached, posts }] : [];
  });
  return [...known, ...strayKeys(env).map((attached) => ({ attached, posts: false }))];
}

/** Attaches them again as they were attached, except that no key of all agents is written into a file: the scripts ask instead. */
export async function renewAgents(terminal: Terminal): Promise<boolean> {
  let isGood = true;
  for (const { attached, posts } of outdatedAgents(terminal.env)) {
    const again = attachCommand(attached);
    const title = findAgent(attached.agent)?.title ?? attached.agent;
    if (attached.scope === "project") {
      terminal.say(`An older version attached ${title} in ${inertText(projectOf(attached))}. To renew its hooks: ${inertText(again)}`);
      continue;
    }
    terminal.say(`An older version attached ${title}. Its hooks are renewed:`);
    const { command } = await import("../commands/attach.js");
    const options = { ...(attached.isStrict && { strict: true }), ...(posts && { http: true }) };
    const code = await confirmAction(terminal.env, `Run: ${again}`)
      .then(() => command.run({ ...terminal, print: () => {} }, options, [attached.agent]))
      .catch((error: unknown) => reportError(error, terminal));
    isGood &&= code === EXIT.ok;
  }
  return isGood;
}

function isOwnPost(posting: PostingAgent | undefined, { key }: AttachSetting): boolean {
  return posting !== undefined && key !== undefined && hasOwnKey(posting, key);
}

function isOutdated(attached: Attached, posts: boolean, { folder, socket, key, ...rest }: AttachSetting, env: NodeJS.ProcessEnv): boolean {
  const definition = findAgent(attached.agent);
  if (definition === undefined) return false;
  if (attached.transport === "http" && !posts) return true;
  const { url = rest.url } = attached;
  const http = posts && key !== undefined && url !== undefined ? { http: { url, token: httpKeyOf(key, attached.agent) } } : {};
  const agent = asAttached(folder, definition);
  const target = attached.scope === "project" ? "project" : "user";
  const cwd = target === "project" ? projectOf(attached) : rest.cwd;
  try {
    const plan = planAttach({ agent, target, isStrict: attached.isStrict, env, folder, socket, cwd, ...http });
    const isThere = readRegularFile(join(folder, plan.client.name)) !== undefined;
    return plan.edit.target.path === attached.path && (plan.edit.change !== "none" || !isThere);
  } catch (error) {
    throw new Error(`${attached.path}: ${errorText(error)}`, { cause: error });
  }
}

/** Settings with hooks that post to a hub, of which the record knows nothing: it was lost, or belongs to another state folder. */
export function strayKeys(env: NodeJS.ProcessEnv): readonly Attached[] {
  const { folder, cwd } = readAttachSetting(env);
  const recorded = readAttached(folder);
  return agents.flatMap(({ id, install }) => {
    if (install.canPost !== true) return [];
    const path = install.settingsPath("user", env, cwd);
    const file = readRegularFile(path);
    const text = file === undefined || "fault" in file ? "" : file.bytes.toString("utf8");
    const isStray = recorded.every((one) => one.path !== path) && text.includes(`/api/agents/${id}/`) && keysIn(text).length > 0;
    return isStray ? [{ agent: id, scope: "user", path, isStrict: false, transport: "http", state: "edited" } as const] : [];
  });
}
