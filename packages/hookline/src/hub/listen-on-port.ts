import { HookError } from "@hookline/core";
import type { HttpServer } from "./http-server.js";

export const DEFAULT_PORT = 4665;
const DEFAULT_HOST = "127.0.0.1";

/** Listens, and gives the URL that others on this machine can connect to. The default port gives way if it is taken; one that was asked for does not. */
export async function listenOnPort(
  server: Pick<HttpServer, "listenTcp">,
  { host = DEFAULT_HOST, port }: { readonly host?: string; readonly port?: number },
  notes: string[],
): Promise<string> {
  try {
    const found = await server.listenTcp(host, port ?? DEFAULT_PORT);
    // The address in hub.json is one on this machine, whatever the world sees.
    if (!isReachedLocally(host)) await server.listenTcp(DEFAULT_HOST, found);
    return urlOf(host, found);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (port !== undefined || (code !== "EADDRINUSE" && code !== "EACCES")) throw unavailable(host, port ?? DEFAULT_PORT, cause);
    const found = await server.listenTcp(host, 0);
    notes.push(`Port ${DEFAULT_PORT} is taken by another program; the hub listens on ${found}.`);
    return urlOf(host, found);
  }
}

function isReachedLocally(host: string): boolean {
  return host.startsWith("127.") || host === "0.0.0.0" || host === "::" || host === "::1" || host === "localhost";
}

/** Whoever listens everywhere is reached on loopback. */
function urlOf(host: string, port: number): string {
  if (host === "::" || host === "::1") return `http://[::1]:${port}`;
  return `http://${host.startsWith("127.") ? host : DEFAULT_HOST}:${port}`;
}

function unavailable(host: string, port: number, cause: unknown): HookError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new HookError(
    "HL_PORT_TAKEN",
    `The hub cannot listen on ${host}:${port}: ${why}. Take another with --port, or --port 0 for any.`,
    {
      cause,
    },
  );
}
