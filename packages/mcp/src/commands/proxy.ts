import { HookError } from "@hookline/core";
import type { CommandModule, McpTools } from "hookline/internal/mcp";
import { nameOfUrl, serverName } from "../gateway/server-name.js";
import { HttpChannel } from "../protocol/http-channel.js";
import { ERAS_HELP, erasOption, runGateway } from "./run-gateway.js";

interface ProxyOptions {
  readonly name?: string;
  readonly listen?: number;
  readonly eras?: "modern";
  readonly bearerEnv?: string;
}

type Headers = { readonly [name: string]: string };

/** `hookline mcp proxy <url>` */
export function proxyCommand(tools: McpTools): CommandModule<ProxyOptions> {
  const { examples, option } = tools;
  return {
    define(command) {
      command
        .argument("<url>", "the server's address", option.text)
        .option("--name <name>", "the server's name, as part of its tools' names (default: that of the host)", option.text)
        .option("--eras <eras>", ERAS_HELP, erasOption(tools))
        .option("--listen <port>", "serve clients over HTTP on this port of loopback; 0 for any", option.port)
        .option("--bearer-env <variable>", "send the token in this variable to the server", option.text)
        .addHelpText(
          "after",
          "\nSpeaks MCP on stdin and stdout, or on the port. Other headers for the server: HOOKLINE_MCP_HEADERS, as a JSON object. The clients' token: HOOKLINE_MCP_TOKEN.",
        )
        .addHelpText("after", examples("hookline mcp proxy https://mcp.example.com/mcp --name tickets --bearer-env TICKETS_TOKEN"));
    },

    run(terminal, { name, listen, eras, bearerEnv }, [address = ""]) {
      const url = readUrl(address);
      const headers = readHeaders(terminal.env, bearerEnv);
      const identity = { name: name === undefined ? nameOfUrl(url) : serverName(name), target: [url.href] };
      return runGateway(tools, terminal, { identity, listen, eras, connect: () => new HttpChannel(url, headers) });
    },
  };
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new HookError("HL_MCP_SETTING", `"${address}" is not an address that begins with http: or https:.`);
}

function readHeaders({ HOOKLINE_MCP_HEADERS: text, ...env }: NodeJS.ProcessEnv, bearerEnv: string | undefined): Headers {
  const bearer = bearerEnv === undefined ? undefined : env[bearerEnv];
  if (bearerEnv !== undefined && bearer === undefined)
    throw new HookError("HL_MCP_SETTING", `The variable ${bearerEnv} is not set.`, { fix: "Set it where the client starts its servers." });
  return { ...(text !== undefined && parseHeaders(text)), ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
}

/** The text is not quoted in the error: it may be a secret. */
function parseHeaders(text: string): Headers {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const isSound = typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
  if (isSound) return value as Headers;
  throw new HookError("HL_MCP_SETTING", "HOOKLINE_MCP_HEADERS is not a JSON object of texts.");
}
