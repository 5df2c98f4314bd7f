import { existsSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { PROTECT_FILE } from "../../hub/mode.js";
import { CliError } from "../cli-error.js";
import { connectIfRunning } from "../hub-client.js";

/** For what the command line does itself, such as a change of a file: asks the person first if `hookline protect` is on. */
export async function confirmAction(env: NodeJS.ProcessEnv, action: string): Promise<void> {
  const isProtected = existsSync(join(stateFolder(env), PROTECT_FILE));
  const hub = await connectIfRunning(env).catch((error: unknown) => {
    if (isProtected) throw error;
    // Without protect, an agent can be detached also if the hub cannot be asked.
    return undefined;
  });
  if (hub !== undefined) return void (await hub.post("/api/operate/confirm", JSON.stringify({ action })));
  if (isProtected)
    throw new CliError("hookline protect is on, and only a running hub can check your confirmation.", {
      fix: { run: "hookline up --detach" },
    });
}
