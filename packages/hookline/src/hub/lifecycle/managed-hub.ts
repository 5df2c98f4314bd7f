import { HookError } from "@hookline/core";
import { MANAGED_CONFIG, type Managed } from "@hookline/core/internal/machine";
import { findRootTreeFault } from "../../machine/root-owned.js";

export const OWN_SOCKET = 0o600;
/** The hub's group may connect. What a connection opens depends on its token and on the process at its other end. */
export const SHARED_SOCKET = 0o660;

/** Throws unless this process is the managed hub's user, and only root can change its rules and hooks. */
export function checkManaged({ user }: Managed): void {
  if (process.geteuid?.() !== user)
    throw new HookError("HL_STATE_FOLDER", `The managed hub runs as user ${user}, and this process as user ${process.geteuid?.()}.`, {
      fix: { run: "sudo systemctl start hookline" },
    });
  const fault = findRootTreeFault(MANAGED_CONFIG);
  if (fault !== undefined)
    throw new HookError("HL_STATE_FOLDER", `The managed hub does not start: ${fault}.`, {
      fix: { run: `sudo chown -R root:root ${MANAGED_CONFIG}; sudo chmod -R go-w ${MANAGED_CONFIG}` },
    });
}
