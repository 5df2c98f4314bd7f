import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { HookError } from "@hookline/core/internal/machine";

/** The NATS server of this machine: `NATS_SERVER`, else the one on the PATH. Throws `HL_FLEET_SERVER`, which says what to install. */
export function findServer({ NATS_SERVER: named = "", PATH = "" }: NodeJS.ProcessEnv): string {
  const candidates = named === "" ? PATH.split(delimiter).map((folder) => join(folder, "nats-server")) : [named];
  const found = candidates.find(isProgram);
  if (found !== undefined) return found;
  throw new HookError(
    "HL_FLEET_SERVER",
    named === "" ? "There is no nats-server on the PATH." : `NATS_SERVER names "${named}", which is not a program.`,
    {
      fix: 'Install nats-server 2.12 or later (nats.io has packages for all systems), or set NATS_SERVER to its path. In the repository, this gets one: export NATS_SERVER="$(npx node scripts/nats-server.ts)"',
    },
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
