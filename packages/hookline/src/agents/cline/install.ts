import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { SCRIPT } from "../install/script-file.js";
import type { AgentInstall, EntryOptions, Environment, InstallTarget } from "../shared/definition.js";
import { type ClineEvent, events } from "./events.js";

const MAIN: ClineEvent = "PreToolUse";

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: { script: true }, entries: (options) => ({ [SCRIPT]: [scriptFor(MAIN, options)] }), own: {} },
  parts: {
    events: (Object.keys(events) as ClineEvent[]).filter((name) => name !== MAIN && !("leftAlone" in events[name])),
    path: (main, event) => join(dirname(main), `${event}.sh`),
    text: scriptFor,
  },
  // It starts each file with the shell that its first line names.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
};

/** Cline waits for it as long as it runs, so the client's own limits count. */
function scriptFor(event: string, { command }: Pick<EntryOptions, "command">): string {
  return `#!/bin/sh\n# Written by "hookline attach"; "hookline detach" removes it.\n${command(event)}\n`;
}

function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  const folder = target === "project" ? join(cwd, ".clinerules") : env.CLINE_DIR || join(env.HOME || homedir(), ".cline");
  return join(folder, "hooks", `${MAIN}.sh`);
}
