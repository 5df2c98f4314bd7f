import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";

/** Which revisions of MCP a gateway lets both sides speak. A file that cannot be read may say the strict thing. */
export async function readEras(env: NodeJS.ProcessEnv): Promise<"any" | "modern"> {
  const { config, problems } = await loadConfig(configPath(env));
  const isUnclear = config === undefined || problems.some(({ key }) => key === "mcp" || key.startsWith("mcp."));
  return isUnclear ? "modern" : (config.mcp.eras ?? "any");
}
