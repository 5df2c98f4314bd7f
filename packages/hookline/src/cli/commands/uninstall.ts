import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { readManaged, readPrivately, stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import { applyLock, planLock } from "../../agents/attach/apply-lock.js";
import { type Attached, readAttached } from "../../agents/attach/attached.js";
import { oursOf, partPaths } from "../../agents/attach/plan-attach.js";
import { attachFolder } from "../../agents/client/attach-key.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { planDetach } from "../../agents/install/plan-detach.js";
import { configPath } from "../../config/config-path.js";
import { findInstallation } from "../../machine/installation.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectIfRunning } from "../hub-client.js";
import { askFor } from "../prompt.js";
import { uninstallForUser } from "../service/user-commands.js";
import { userService } from "../service/user-service.js";
import { findLauncher, removeLauncher } from "../start/launcher.js";
import type { Terminal } from "../terminal.js";
import { takeDown } from "./down.js";

interface UninstallOptions {
  readonly keepData?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const command: CommandModule<UninstallOptions> = {
  define(command) {
    command
      .option("--keep-data", "keep the record, the configuration and the keys")
      .option("--dry-run", "say what would be removed, and remove nothing")
      .option("--yes", "do not ask")
      .addHelpText("after", "\nDetaches agents first, so no agent is left with hooks that ask a hub that is gone.")
      .addHelpText("after", "The program itself stays; the last line says how to remove it.")
      .addHelpText("after", examples("hookline uninstall --dry-run", "hookline uninstall --keep-data"));
  },

  async run(terminal, { keepData = false, dryRun = false, yes = false }) {
    if (readManaged() !== undefined)
      throw new CliError("The hub of this machine is managed, and belongs to all its users.", {
        fix: { run: "sudo hookline service uninstall --system" },
      });
    const { env, print, say } = terminal;
    const state = stateFolder(env);
    refuseMcpClients(state);
    const attached = existsSync(state) ? readAttached(attachFolder(state)).filter(({ state: now }) => now !== "gone") : [];
    const service = userService({ env })?.file?.path;
    const launcher = findLauncher(env);
    const folders = keepData ? [] : [state, dirname(configPath(env))].filter((path) => existsSync(path));
    const steps = [
      ...attached.map(({ agent, path }) => `detach ${agent} from ${inertText(path)}`),
      ...(service !== undefined && existsSync(service) ? [`stop and remove the service ${inertText(service)}`] : []),
      ...((await connectIfRunning(env)) === undefined ? [] : ["stop the hub"]),
      ...(launcher === undefined ? [] : [`remove ${inertText(launcher)}`]),
      ...folders.map((path) => `remove ${inertText(path)}`),
    ];
    for (const step of steps) print(step);
    if (steps.length === 0) say("There is nothing of Hookline to remove here.");
    if (dryRun || steps.length === 0) return EXIT.ok;
    const kept = folders.length === 0 ? "" : " The record cannot be brought back; to keep it: hookline backup <folder>.";
    if (!yes && !(await askFor(terminal, `Do all this?${kept}`, "--yes"))) return EXIT.failed;
    for (const one of attached) detach(one, attachFolder(state));
    if (service !== undefined && existsSync(service)) await uninstallForUser(terminal, {});
    await takeDown(terminal, false, keepData ? undefined : "");
    if (launcher !== undefined) removeLauncher(launcher);
    for (const path of folders) rmSync(path, { recursive: true, force: true });
    return tellLeft(terminal, { state, keepData });
  },
};

/** Without Hookline, their servers would not start. Only the package `@hookline/mcp` can edit their files. */
function refuseMcpClients(state: string): void {
  const paths = existsSync(state) ? mcpClientFiles(attachFolder(state)) : [];
  if (paths.length === 0) return;
  throw new CliError(`MCP servers in ${paths.join(", ")} start through Hookline.`, {
    fix: "Detach each of these clients first: hookline mcp detach <client>, with --project in the folder of a project.",
  });
}

function mcpClientFiles(folder: string): readonly string[] {
  // As long as the texts of all these files.
  const read = readPrivately(folder, "mcp-clients.json", { maxBytes: 64 * 1024 * 1024 });
  if (read.state === "none") return [];
  if (read.state !== "found")
    throw new CliError(`"${folder}/mcp-clients.json" cannot be used: ${read.reason}.`, { fix: "Look at it, then move it away." });
  const { files } = JSON.parse(read.bytes.toString("utf8")) as { readonly files: readonly { readonly path: string }[] };
  return files.map(({ path }) => inertText(path));
}

/** As `hookline detach`: the file as it was, or without our entries. */
function detach({ agent: id, scope, path }: Attached, folder: string): void {
  const agent = findAgent(id);
  if (agent === undefined)
    throw new CliError(`Hookline does not know the agent "${id}".`, { fix: `Remove its entries from "${path}" yourself.` });
  applyLock(planLock(agent, path, false));
  const target = { agent: id, scope: scope as "user" | "project", path };
  for (const one of [...partPaths(agent, path), path])
    applyEdit(folder, planDetach(folder, { ...target, path: one }, oursOf(agent, folder)));
}

function tellLeft({ say }: Terminal, { state, keepData }: { readonly state: string; readonly keepData: boolean }): number {
  say(
    keepData
      ? `Agents are detached, and no hub runs. Kept: ${inertText(state)}`
      : "Agents are detached, no hub runs, and its files are gone.",
  );
  say(`To remove the program: ${inertText(findInstallation().remove)}`);
  return EXIT.ok;
}
