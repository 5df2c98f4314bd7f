import { HookError } from "@hookline/core";
import { errorText } from "@hookline/core/internal/machine";
import type { CommandModule, McpTools } from "hookline/internal/mcp";
import { version } from "../protocol/package-version.js";
import { nextSignal } from "./signals.js";

interface ServeOptions {
  readonly allowApprovals?: boolean;
  readonly interceptors?: string;
}

/** `hookline mcp serve` */
export function serveCommand({ examples, option, connectHub, EXIT }: McpTools): CommandModule<ServeOptions> {
  return {
    define(command) {
      command
        .option("--allow-approvals", "also offer a tool that answers calls that wait for a person")
        .option("--interceptors <draft>", "also be an interceptor server of this draft: sep-2624-2026-04", option.text)
        .addHelpText(
          "after",
          "\nSpeaks MCP on stdin and stdout. Offers tools to search events, explain decisions, list approvals and count usage.",
        )
        .addHelpText("after", examples("hookline mcp serve", "hookline mcp serve --interceptors sep-2624-2026-04"));
    },

    async run({ env }, { allowApprovals = false, interceptors }) {
      const [{ McpServer }, { StdioServerTransport }, { approvingTools, readingTools }, { INTERCEPTOR_DRAFT, serveInterceptors }] =
        await Promise.all([
          import("@modelcontextprotocol/sdk/server/mcp.js"),
          import("@modelcontextprotocol/sdk/server/stdio.js"),
          import("../serve/hub-tools.js"),
          import("../serve/interceptors.js"),
        ]);
      if (interceptors !== undefined && interceptors !== INTERCEPTOR_DRAFT)
        throw new HookError("HL_MCP_SETTING", `The draft "${interceptors}" is not known.`, { fix: `Use ${INTERCEPTOR_DRAFT}.` });
      const capabilities = interceptors === undefined ? {} : { experimental: { interceptors: { draft: INTERCEPTOR_DRAFT } } };
      const server = new McpServer({ name: "hookline", version }, { capabilities });
      const tools = { ...readingTools, ...(allowApprovals ? approvingTools : {}) };
      for (const [name, { description, input, run }] of Object.entries(tools))
        server.registerTool(
          name,
          { description, inputSchema: input, annotations: { readOnlyHint: !(name in approvingTools) } },
          async (given) => {
            try {
              const answer = await run(await connectHub(env), given);
              return { content: [{ type: "text", text: JSON.stringify(answer, undefined, 2) }] };
            } catch (error) {
              return { content: [{ type: "text", text: errorText(error) }], isError: true };
            }
          },
        );
      if (interceptors !== undefined) serveInterceptors(server.server, () => connectHub(env));
      const ended = new Promise<void>((resolve) => {
        server.server.onclose = resolve;
        process.stdin.once("end", resolve);
      });
      await server.connect(new StdioServerTransport());
      await Promise.race([ended, nextSignal()]);
      await server.close();
      return EXIT.ok;
    },
  };
}
