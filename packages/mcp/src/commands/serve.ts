import { HookError } from "@hookline/core";
import { errorText } from "@hookline/core/internal/machine";
import type { CommandModule, McpTools } from "hookline/internal/mcp";
import type { z } from "zod";
import type { Fields } from "../protocol/message.js";
import { version } from "../protocol/package-version.js";
import { nextSignal } from "./signals.js";

interface ServeOptions {
  readonly allowApprovals?: boolean;
  readonly interceptors?: string;
  readonly audit?: boolean;
  readonly redact?: boolean;
}

/** `hookline mcp serve` */
export function serveCommand(tools: McpTools): CommandModule<ServeOptions> {
  const { examples, option, EXIT } = tools;
  return {
    define(command) {
      command
        .option("--allow-approvals", "also offer a tool that answers calls that wait for a person")
        .option("--interceptors <draft>", "be an interceptor server of this draft instead, without tools: sep-2624-2026-09", option.text)
        .option("--audit", "with --interceptors: tell what the rules would do, and ask no person")
        .option("--redact", "with --interceptors: also offer one that takes secrets out of requests")
        .addHelpText(
          "after",
          "\nSpeaks MCP on stdin and stdout, in every revision. Offers tools to search events, explain decisions, list approvals and count usage.",
        )
        .addHelpText("after", examples("hookline mcp serve", "hookline mcp serve --interceptors sep-2624-2026-09"));
    },

    async run({ env }, options) {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const create =
        options.interceptors === undefined ? await toolServer(tools, env, options) : await interceptorServer(tools, env, options);
      const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve));
      const handle = serveStdio(create);
      await Promise.race([ended, nextSignal()]);
      await handle.close();
      return EXIT.ok;
    },
  };
}

type Env = NodeJS.ProcessEnv;

async function interceptorServer(
  { connectHub, usageError }: McpTools,
  env: Env,
  { interceptors, allowApprovals, audit, redact }: ServeOptions,
) {
  const [{ createInterceptorServer, INTERCEPTOR_DRAFT }, { InterceptorRegistry }, { HubInterceptors }, { secretRedactor }] =
    await Promise.all([
      import("../serve/interceptor-server.js"),
      import("../serve/interceptor-registry.js"),
      import("../serve/hub-interceptors.js"),
      import("../serve/secret-redactor.js"),
    ]);
  if (interceptors !== INTERCEPTOR_DRAFT)
    throw new HookError("HL_MCP_SETTING", `The draft "${interceptors}" is not known.`, { fix: `Use ${INTERCEPTOR_DRAFT}.` });
  if (allowApprovals === true) throw usageError("An interceptor server has no tools: leave out --allow-approvals.");
  const hub = new HubInterceptors({ connect: () => connectHub(env), isAudit: audit === true });
  const registry = new InterceptorRegistry([...hub.list(), ...(redact === true ? [secretRedactor(audit === true)] : [])]);
  return () => createInterceptorServer(registry);
}

async function toolServer({ connectHub, usageError }: McpTools, env: Env, { allowApprovals, audit, redact }: ServeOptions) {
  if (audit === true || redact === true)
    throw usageError("--audit and --redact are for interceptors: add --interceptors sep-2624-2026-09.");
  const [{ McpServer }, { approvingTools, readingTools }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("../serve/hub-tools.js"),
  ]);
  const offered = { ...readingTools, ...(allowApprovals === true ? approvingTools : {}) };
  return () => {
    const server = new McpServer({ name: "hookline", version });
    for (const [name, { description, input, run }] of Object.entries(offered))
      server.registerTool(
        name,
        { description, inputSchema: input as z.ZodObject, annotations: { readOnlyHint: !(name in approvingTools) } },
        async (given: Fields) => {
          try {
            const answer = await run(await connectHub(env), given);
            return { content: [{ type: "text", text: JSON.stringify(answer, undefined, 2) }] };
          } catch (error) {
            return { content: [{ type: "text", text: errorText(error) }], isError: true };
          }
        },
      );
    return server;
  };
}
