import { createHash } from "node:crypto";

export interface PluginFileOptions {
  /** As `hookline attach` names the agent. */
  readonly agent: string;
  readonly isStrict: boolean;
  /** The client that the file loads: its full path and its text. */
  readonly path: string;
  readonly text: string;
  /** How the agent wants the plugin, which is called `plugin`: a line of the file. */
  readonly exported: string;
}

/**
 * The file in the agent's folder of plugins. It loads the client if that is what Hookline wrote, and otherwise does what the agent takes for a plugin that
 * cannot be loaded. Not strict, it then guards nothing, and counts that.
 */
export function pluginFile({ agent, isStrict, path, text, exported }: PluginFileOptions): string {
  const command = `hookline attach ${agent}${isStrict ? " --strict" : ""}`;
  return `// Written by "${command}", for the client ${path}. Undo: hookline detach ${agent}
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const client = ${JSON.stringify(path)};

function load() {
  const text = readFileSync(client);
  const digest = createHash("sha256").update(text).digest("hex");
  if (digest !== "${createHash("sha256").update(text).digest("hex")}") throw new Error("it was changed");
  return new Function("require", text.toString())(createRequire(client));
}

function withoutClient(error) {
  try {
    appendFileSync(join(dirname(client), "misses.log"), ${JSON.stringify(`- ${agent} plugin client\n`)}, { mode: 0o600 });
  } catch {}
${isStrict ? `  throw new Error("Hookline could not load its client (" + error.message + "), and this agent is attached with --strict. Run: ${command}");` : "  return () => ({});"}
}

let plugin;
try {
  plugin = load();
} catch (error) {
  plugin = withoutClient(error);
}
${exported}
`;
}
