import { join, resolve } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import type { ChainHead } from "../../hub/protocol.js";

export interface VerifyOptions {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly head?: Pick<ChainHead, "n" | "hash">;
  readonly data?: string;
}

/** Where a hub would keep its events. */
export async function storePath(data: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  if (data !== undefined) return join(resolve(data), "events.db");
  const [{ loadConfig }, { configPath }] = await Promise.all([
    import("../../config/load-config.js"),
    import("../../config/config-path.js"),
  ]);
  const { config } = await loadConfig(configPath(env));
  return join(config?.hub.data ?? stateFolder(env), "events.db");
}
