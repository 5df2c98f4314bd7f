import { lstatSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { HookError } from "@hookline/core";

/** Removes a socket file that a killed hub left behind. Throws `HL_HUB_RUNNING` if somebody still listens there. */
export async function clearSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isSocket() && (await isAnswered(path)))
    throw new HookError("HL_HUB_RUNNING", `Somebody listens on "${path}" already. Run: hookline status`);
  rmSync(path, { force: true });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", end(true));
    socket.once("error", end(false));
    socket.setTimeout(1_000, end(true));
  });
}
