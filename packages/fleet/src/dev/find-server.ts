import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { HookError } from "@hookline/core/internal/machine";
import { isNewEnough, minVersion } from "../nats/server-version.js";

const ASK_MS = 10_000;
const INSTALL = `Install nats-server ${minVersion} or later (nats.io has packages for all systems), or set NATS_SERVER to its path. In the repository, this gets one: export NATS_SERVER="$(npx node scripts/nats-server.ts)"`;

/**
 * The NATS server of this machine: `NATS_SERVER`, else the one on the PATH. Throws `HL_FLEET_SERVER`, or `HL_FLEET_VERSION` for one that is too
 * old: it would not understand its configuration. Both say what to install.
 */
export function findServer({ NATS_SERVER: named = "", PATH = "" }: NodeJS.ProcessEnv): string {
  const candidates = named === "" ? PATH.split(delimiter).map((folder) => join(folder, "nats-server")) : [named];
  const found = candidates.find(isProgram);
  if (found !== undefined) return checkedVersion(found);
  throw new HookError(
    "HL_FLEET_SERVER",
    named === "" ? "There is no nats-server on the PATH." : `NATS_SERVER names "${named}", which is not a program.`,
    { fix: INSTALL },
  );
}

/** A program that does not say its version is tried all the same: it says itself what is wrong. */
function checkedVersion(program: string): string {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: ASK_MS });
  const version = /\bv?(\d+\.\d+[\w.-]*)/.exec(stdout ?? "")?.[1];
  if (version === undefined || isNewEnough(version)) return program;
  throw new HookError("HL_FLEET_VERSION", `${program} is version ${version}; a fleet needs nats-server ${minVersion} or later.`, {
    fix: INSTALL,
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
