import { spawnSync } from "node:child_process";
import type { HandOverAnswer } from "../../hub/protocol.js";
import type { Terminal } from "../terminal.js";
import { startDetached } from "../up/detach.js";
import { installForUser } from "./user-commands.js";
import { userService } from "./user-service.js";

/** Whether the service of this user runs the hub with this process. */
export async function runsAsService(pid: number, { env }: Terminal): Promise<boolean> {
  const service = userService({ env });
  if (service?.mainPid === undefined) return false;
  const [program, ...args] = service.mainPid;
  const { stdout } = spawnSync(program, args, { encoding: "utf8" });
  return Number(stdout?.trim()) === pid;
}

/**
 * A service manager ends the old process before it starts the next, and agents would find no hub meanwhile. So a hub of this version takes over
 * first, and hands over to the one that the service starts.
 */
export async function replaceByService(startedWith: HandOverAnswer["startedWith"], terminal: Terminal): Promise<void> {
  await startDetached({ ...startedWith, takeOver: true, interim: true }, terminal);
  await installForUser(terminal, { isUpgrade: true });
}
