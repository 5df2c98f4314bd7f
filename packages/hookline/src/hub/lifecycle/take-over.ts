import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HookError } from "@hookline/core";
import { readHubFile } from "@hookline/core/internal/machine";
import { isLocked } from "../../machine/lock.js";
import { readOperatorFile } from "../auth/read-operator-file.js";
import { createHeldLine, type HeldLine } from "../connection/held-line.js";
import { serverOptions } from "../http-server.js";
import { refuseNewerStore } from "../store/schema.js";
import { bindSocket } from "./bind-socket.js";
import { connectionLimits } from "./connection-limits.js";
import { createHeldServer, type HeldServer } from "./held-server.js";
import { type HubFolders, lockPaths } from "./hub-options.js";
import { DEFAULT_HOST } from "./listen-on-port.js";

const LOOK_EVERY_MS = 10;
/** The old hub finishes the calls that it has begun. */
const PATIENCE_MS = 30_000;

/** What a hub that takes over has before it can answer: the sockets of the old one, on which callers wait, and its keys. */
export interface TakenOver {
  readonly http: HeldServer;
  readonly line: HeldLine;
  /** The port of the old hub, if it could be had. */
  readonly tcp: { readonly held: HeldServer; readonly host: string; readonly port: number } | undefined;
  readonly tokens: { readonly agent: string; readonly operator: string } | undefined;
  close(): void;
}

export interface TakeOverOptions {
  readonly folders: HubFolders;
  readonly paths: { readonly http: string; readonly line: string };
  readonly mode: number;
  readonly host: string | undefined;
  /** Undefined, or 0 for any: that of the old hub. */
  readonly port: number | undefined;
}

/**
 * Puts this process's sockets in the place of those of a running hub that has been told to hand over, and waits until it is gone. Callers that
 * arrive meanwhile wait. `undefined` if no hub runs. Throws `HL_HUB_RUNNING` if the hub stays, and leaves it alone if the store is newer than
 * this program.
 */
export async function takeOver({ folders, paths, mode, host = DEFAULT_HOST, port }: TakeOverOptions): Promise<TakenOver | undefined> {
  const locks = lockPaths(folders);
  if (!locks.some(isLocked)) return undefined;
  refuseNewerStore(join(folders.data, "events.db"));
  const old = readHubFile(folders.shared);
  const operator = readOperatorFile(folders.shared);
  // Loaded now, because callers wait from here on.
  await Promise.all([import("../policy/policies.js"), import("../../rules/regex/rule-regex.js")]);
  const held = { http: createHeldServer(serverOptions("http")), line: createHeldLine(connectionLimits().line) };
  const wanted = port || (old.state === "found" ? Number(new URL(old.file.url).port) : 0);
  let tcp: TakenOver["tcp"];
  const close = (): void => {
    for (const server of [held.http.server, held.line.server, ...(tcp === undefined ? [] : [tcp.held.server])]) server.close();
  };
  try {
    await bindSocket(held.http.server, paths.http, mode);
    await bindSocket(held.line.server, paths.line, mode);
    for (const end = Date.now() + PATIENCE_MS; locks.some(isLocked); await sleep(LOOK_EVERY_MS)) {
      if (Date.now() > end) throw staying();
      if (tcp === undefined && wanted > 0) tcp = await holdPort(host, wanted);
    }
  } catch (error) {
    close();
    throw error;
  }
  const tokens =
    old.state === "found" && operator.state === "found" && operator.file.instance === old.file.instance
      ? { agent: old.file.token, operator: operator.file.token }
      : undefined;
  return { ...held, tcp, tokens, close };
}

function staying(): HookError {
  return new HookError("HL_HUB_RUNNING", `The running hub did not hand over within ${PATIENCE_MS / 1_000} s.`, {
    fix: { run: "hookline upgrade" },
  });
}

/** The old hub gives its port up first. */
async function holdPort(host: string, port: number): Promise<TakenOver["tcp"]> {
  const held = createHeldServer(serverOptions("tcp"));
  const { server } = held;
  const isBound = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => resolve(true));
  });
  return isBound ? { held, host, port } : undefined;
}
