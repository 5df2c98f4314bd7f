import { join } from "node:path";
import { cacheFolder, installPackages } from "../support/install-packages.ts";
import type { AgentDriver } from "./drivers.ts";

/** Makes sure that the pinned versions are there, and gives the folder of their programs. They are no part of the repository's packages. */
export function installAgents(wanted: readonly AgentDriver[], kind = "agents"): string {
  const folder = cacheFolder(kind, kind === "agents" ? process.env.HOOKLINE_AGENTS_CACHE : process.env.HOOKLINE_NEWEST_CACHE);
  installPackages(
    folder,
    wanted.map(({ package: name, packageVersion: version }) => ({ package: name, version })),
  );
  return join(folder, "node_modules", ".bin");
}
