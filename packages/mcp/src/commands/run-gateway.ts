import { randomBytes } from "node:crypto";
import { HookError } from "@hookline/core";
import type { McpTools, Terminal } from "hookline/internal/mcp";
import { Gateway, type GatewayOptions } from "../gateway/gateway.js";
import { type OpenServer, openServer } from "../gateway/open-server.js";
import type { Channel } from "../protocol/channel.js";
import { MODERN_VERSION } from "../protocol/era.js";
import { LineChannel } from "../protocol/line-channel.js";
import type { ServerIdentity } from "../state/server-record.js";
import { nextSignal } from "./signals.js";

export interface GatewayPlan {
  readonly identity: ServerIdentity;
  /** A new connection to the server. */
  readonly connect: () => Channel;
  /** Serves clients over HTTP on this port of loopback, instead of one over stdin and stdout. */
  readonly listen?: number | undefined;
  /** `modern`: refuses clients and servers that speak only revisions before 2026-07-28. Otherwise the setting of `hookline.toml` holds. */
  readonly eras?: "modern" | undefined;
}

export const ERAS_HELP = `only \`modern\`: refuse a client or a server that speaks no revision from ${MODERN_VERSION} on`;

/** The value of `--eras`. Only the strict one: `hookline.toml` may not be loosened from a client's settings. */
export function erasOption({ usageError }: McpTools): (value: string) => "modern" {
  return (value) => {
    if (value === "modern") return value;
    throw usageError('--eras can only be "modern".', "Leave it out to use [mcp] eras of hookline.toml.");
  };
}

type Served = OpenServer & Pick<GatewayOptions, "eras" | "say">;

/** Serves clients until they are gone or a signal comes. */
export async function runGateway({ format, withLock, readEras, EXIT }: McpTools, terminal: Terminal, plan: GatewayPlan): Promise<number> {
  const { identity, listen } = plan;
  const say = (text: string): void => terminal.say(`hookline mcp: ${text}`);
  const eras = plan.eras ?? (await readEras(terminal.env));
  const server: Served = { ...openServer({ identity, env: terminal.env, diff: format.unifiedDiff, withLock, say }), eras, say };
  const ended = nextSignal();
  if (listen === undefined) await serveStdio(server, plan, ended);
  else await serveHttp(server, { ...plan, listen }, { terminal, ended });
  await server.line.close();
  return EXIT.ok;
}

async function serveStdio(server: Served, { identity, connect }: GatewayPlan, ended: Promise<void>): Promise<void> {
  const client = new LineChannel(process.stdin, process.stdout);
  const gateway = new Gateway({ server: identity.name, client, connect, ...server });
  await gateway.start();
  await Promise.race([gateway.done, ended]);
  await gateway.stop();
}

async function serveHttp(
  server: Served,
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
