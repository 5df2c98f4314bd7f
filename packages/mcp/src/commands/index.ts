import type { CommandModule, McpTools } from "hookline/internal/mcp";
import { acpCommand } from "./acp.js";
import { attachCommand } from "./attach.js";
import { pinsAcceptCommand, pinsListCommand } from "./pins.js";
import { proxyCommand } from "./proxy.js";
import { serveCommand } from "./serve.js";
import { statusCommand } from "./status.js";
import { wrapCommand } from "./wrap.js";

export { version } from "../protocol/package-version.js";

/** The subcommands of `hookline mcp`, and `hookline acp`, by the names that `hookline` lists. */
export function createCommands(tools: McpTools): { readonly [name: string]: CommandModule } {
  return {
    wrap: wrapCommand(tools),
    proxy: proxyCommand(tools),
    acp: acpCommand(tools),
    attach: attachCommand(tools, "attach"),
    detach: attachCommand(tools, "detach"),
    serve: serveCommand(tools),
    status: statusCommand(tools),
    "pins list": pinsListCommand(tools),
    "pins accept": pinsAcceptCommand(tools),
  };
}
