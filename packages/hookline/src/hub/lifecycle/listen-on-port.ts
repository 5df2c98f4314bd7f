import { lstatSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { HookError } from "@hookline/core";
import { probeLiveness } from "@hookline/core/internal/machine";
import type { HttpServer } from "../http-server.js";

export const DEFAULT_PORT = 4665;
export const DEFAULT_HOST = "127.0.0.1";
/** The address is at fault, and no other port would help. */
const WRONG_HOST = ["EADDRNOTAVAIL", "EAFNOSUPPORT", "ENOTFOUND", "EAI_AGAIN", "EINVAL"];

/** Where the hub listens. */
export interface Listening {
  /** What others on this machine can connect to. */
  readonly url: string;
  /** The loopback address, of those that browsers use for `*.localhost`, that another program may have; `undefined` if none. */
  readonly foreign: string | undefined;
  /** The default port is another program's. */
  readonly hasMoved: boolean;
}

/** Listens where it is told to, and on loopback. The default port gives way if it is taken; one that was asked for does not. */
export async function listenOnPort(
  server: Pick<HttpServer, "listenTcp">,
  { host: given = DEFAULT_HOST, port }: { readonly host?: string; readonly port?: number },
  notes: string[],
): Promise<Listening> {
  // The name resolves to two addresses, and it would be unknown which one is used.
  const host = given === "localhost" ? DEFAULT_HOST : given;
  try {
    const found = await server.listenTcp(host, port ?? DEFAULT_PORT);
    // The address in hub.json is one on this machine, whatever the world sees.
    if (!isReachedLocally(host)) await server.listenTcp(DEFAULT_HOST, found);
    return { ...(await withLoopback(server, host, found)), hasMoved: false };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (port !== undefined || (code !== "EADDRINUSE" && code !== "EACCES")) throw unavailable(host, port ?? DEFAULT_PORT, cause);
    const found = await server.listenTcp(host, 0);
    notes.push(`Port ${DEFAULT_PORT} is taken by another program; the hub listens on ${found}.`);
    return { ...(await withLoopback(server, host, found)), hasMoved: true };
  }
}

function isReachedLocally(host: string): boolean {
  return host.startsWith("127.") || host === "0.0.0.0" || host === "::" || host === "::1";
}

/** Browsers try `[::1]` first for `*.localhost`: a program that listened there would be taken for the hub. */
async function withLoopback(server: Pick<HttpServer, "listenTcp">, host: string, port: number): Promise<Omit<Listening, "hasMoved">> {
  const url = urlOf(host, port);
  for (const address of [DEFAULT_HOST, "::1"])
    if (!isCovered(address, host) && !(await isOwnOrFree(server, address, port))) return { url, foreign: hostAndPort(address, port) };
  return { url, foreign: undefined };
}

function isCovered(address: string, host: string): boolean {
  if (host === "::" || host === address) return true;
  return address === DEFAULT_HOST && (host === "0.0.0.0" || !isReachedLocally(host));
}

/** If the machine has no such address, no program listens on it. */
async function isOwnOrFree(server: Pick<HttpServer, "listenTcp">, address: string, port: number): Promise<boolean> {
  try {
    await server.listenTcp(address, port);
    return true;
  } catch (error) {
    return ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** A program that listens on all addresses is also reached on loopback. */
function urlOf(host: string, port: number): string {
  return `http://${hostAndPort(host === "::" || host === "::1" ? "::1" : host.startsWith("127.") ? host : DEFAULT_HOST, port)}`;
}

export function hostAndPort(address: string, port: number): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

function unavailable(host: string, port: number, cause: unknown): HookError {
  const { message: said, code = "" } = cause as NodeJS.ErrnoException;
  const why = code === "EADDRINUSE" ? "another program uses this port" : said;
  const message = `The hub cannot listen on ${hostAndPort(host, port)}: ${why}.`;
  if (WRONG_HOST.includes(code))
    return new HookError("HL_PORT_TAKEN", `${message} Give --host an address of this machine, or leave it out.`, { cause });
  // The option overrides the port in `[hub]`.
  const fix = { run: "hookline up --detach --port 0" };
  return new HookError("HL_PORT_TAKEN", `${message} Choose another with --port, or --port 0 for any.`, { cause, fix });
}

/** Removes a socket file that a killed hub left behind. Throws `HL_HUB_RUNNING` unless it is sure that no process listens there. */
export async function clearSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isSocket() && (await probeLiveness(dirname(path), basename(path))) !== "dead")
    throw new HookError("HL_HUB_RUNNING", `Another process listens on "${path}".`, { fix: { run: "hookline status" } });
  rmSync(path, { force: true });
}
