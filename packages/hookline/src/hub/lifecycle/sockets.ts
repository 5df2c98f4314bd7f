import { lstatSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { HookError } from "@hookline/core";
import { probeLiveness } from "@hookline/core/internal/machine";

/** Removes a socket file that a killed hub left behind. Throws `HL_HUB_RUNNING` unless it is sure that nobody listens there. */
export async function clearSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isSocket() && (await probeLiveness(dirname(path), basename(path))) !== "dead")
    throw new HookError("HL_HUB_RUNNING", `Another process listens on "${path}".`, { fix: { run: "hookline status" } });
  rmSync(path, { force: true });
}
