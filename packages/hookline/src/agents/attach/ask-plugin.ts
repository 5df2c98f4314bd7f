import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PROBE_MARK, PROBE_VARIABLE } from "../client/plugin-client.js";
import type { AgentDefinition } from "../shared/definition.js";
import { type Attached, projectOf } from "./attached.js";
import type { CanaryCall } from "./canary.js";
import { findProgram } from "./find-program.js";

/** What a plugin did with the canary. */
export interface PluginAnswer {
  readonly isDenied: boolean;
  readonly said: string;
  /** What was run, and how it ended. */
  readonly how: string;
  readonly unasked?: Unasked;
}

/** The plugin was not given the canary, so nothing is known of what it would have answered. */
export interface Unasked {
  /** `the canary was not sent`, or that the check could not be made. */
  readonly what: string;
  /** The command that has to run first. */
  readonly command?: string;
}

/** The agent's first start may take long: it may install packages. */
const LIMIT_MS = 60_000;
const MAX_OUTPUT = 256 * 1_024;
const MAX_SHOWN = 200;
/** Calls the plugin as its agent would: for a machine without the agent. */
const LOAD = `const { default: first, Hookline = first } = await import(process.argv[1]);
await Hookline({ client: {}, directory: "/", on() {} });`;

/**
 * Starts the agent so that it loads its plugins and ends, and gives the plugin a call that must be denied. This shows that the agent loads the plugin, which
 * no file can show. Where the agent is not installed, Node loads the plugin.
 */
export async function askPlugin(agent: AgentDefinition, attached: Attached, { event, payload }: CanaryCall): Promise<PluginAnswer> {
  const found = findProgram(agent.program, process.env);
  const { plugin } = agent.install;
  const folder = mkdtempSync(join(tmpdir(), "hookline-probe-"));
  const [command, args, name] =
    found === undefined
      ? [process.execPath, ["--input-type=module", "-e", LOAD, pathToFileURL(attached.path).href], `Node, without ${agent.title}`]
      : [found.path, plugin?.probe ?? [], [agent.program.commands[0], ...(plugin?.probe ?? [])].join(" ")];
  const cwd = attached.scope === "project" ? projectOf(attached) : folder;
  try {
    const { code, err } = await run(command, args, { ...process.env, [PROBE_VARIABLE]: JSON.stringify({ event, payload }) }, cwd);
    const line = err.split("\n").find((one) => one.startsWith(PROBE_MARK));
    if (line === undefined) return { isDenied: false, said: "", ...notAsked(name, found !== undefined, code, err) };
    const said = line.slice(PROBE_MARK.length);
    return { isDenied: isBlock(said), said, how: `asked by ${name}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that ends well has not loaded the plugin. One that fails, offline or without a login, has shown nothing. */
function notAsked(name: string, isInstalled: boolean, code: number | string, err: string): Pick<PluginAnswer, "how" | "unasked"> {
  if (code === 0) return { how: `${name} did not load the plugin`, unasked: { what: "the canary was not sent" } };
  const last = err.trim().split("\n").at(-1)?.trim().slice(0, MAX_SHOWN) ?? "";
  const ended = typeof code === "number" ? `ended with exit code ${code}` : `ended with ${code}`;
  return {
    how: `${name} ${ended} before it loaded the plugin${last === "" ? "" : ` (${last})`}`,
    unasked: { what: "the check could not be made", ...(isInstalled && { command: name }) },
  };
}

function isBlock(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { readonly block?: unknown }).block === "string";
  } catch {
    return false;
  }
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ readonly code: number | string; readonly err: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, cwd, stdio: ["ignore", "ignore", "pipe"], timeout: LIMIT_MS, killSignal: "SIGKILL" });
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (err.length < MAX_OUTPUT) err += chunk.toString();
    });
    child.on("error", (error) => resolve({ code: error.message, err }));
    child.on("exit", (code, signal) => setTimeout(() => resolve({ code: code ?? String(signal), err }), 100));
  });
}
