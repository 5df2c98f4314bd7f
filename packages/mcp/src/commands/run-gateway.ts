import { randomBytes } from "node:crypto";
import { HookError } from "@hookline/core";
import type { McpTools, Terminal } from "hookline/internal/mcp";
import { Gateway } from "../gateway/gateway.js";
import { type OpenServer, openServer } from "../gateway/open-server.js";
import type { Channel } from "../protocol/channel.js";
import { LineChannel } from "../protocol/line-channel.js";
import type { ServerIdentity } from "../state/server-record.js";
import { nextSignal } from "./signals.js";

export interface GatewayPlan {
  readonly identity: ServerIdentity;
  /** A new connection to the server. */
  readonly connect: () => Channel;
  /** Serves clients over HTTP on this port of loopback, instead of one over stdin and stdout. */
  readonly listen?: number | undefined;
}

/** Serves clients until they are gone or a signal comes. */
export async function runGateway({ format, withLock, EXIT }: McpTools, terminal: Terminal, plan: GatewayPlan): Promise<number> {
  const { identity, listen } = plan;
  const say = (text: string): void => terminal.say(`hookline mcp: ${text}`);
  const server = openServer({ identity, env: terminal.env, diff: format.unifiedDiff, withLock, say });
  const ended = nextSignal();
  if (listen === undefined) await serveStdio(server, plan, ended);
  else await serveHttp(server, { ...plan, listen }, { terminal, ended });
  await server.line.close();
  return EXIT.ok;
}

async function serveStdio(server: OpenServer, { identity, connect }: GatewayPlan, ended: Promise<void>): Promise<void> {
  const client = new LineChannel(process.stdin, process.stdout);
  const gateway = new Gateway({ server: identity.name, client, connect, ...server });
  await gateway.start();
  await Promise.race([gateway.done, ended]);
  await gateway.stop();
}

async function serveHttp(
  server: OpenServer,
  { identity, connect, listen }: GatewayPlan & { readonly listen: number },
  { terminal, ended }: { readonly terminal: Terminal; readonly ended: Promise<void> },
): Promise<void> {
  const { HttpFront } = await import("../gateway/http-front.js");
  const { HOOKLINE_MCP_TOKEN: given } = terminal.env;
  const token = given ?? randomBytes(24).toString("base64url");
  const front = new HttpFront({
    port: listen,
    token,
    async serve(client) {
      const gateway = new Gateway({ server: identity.name, client, connect, ...server });
      await gateway.start();
      void gateway.done.then(() => gateway.stop());
      return gateway;
    },
  });
  const url = await front.listen().catch((cause: NodeJS.ErrnoException) => {
    throw new HookError("HL_MCP_SETTING", `The port ${listen} cannot be used: ${cause.message}.`, {
      fix: "Give another one, or 0.",
      cause,
    });
  });
  terminal.print(url);
  if (given === undefined)
    terminal.say(`Clients send the header "Authorization: Bearer ${token}". To choose the token: HOOKLINE_MCP_TOKEN`);
  await ended;
  await front.close();
}
