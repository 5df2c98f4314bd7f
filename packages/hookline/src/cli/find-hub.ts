import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  createNonce,
  errorText,
  type Fix,
  findFolderFault,
  HUB_FILE,
  type HubFile,
  hubFolder,
  isOfHub,
  isProof,
  prove,
  readHubFile,
  withFix,
} from "@hookline/core/internal/machine";
import { canSeeProcesses, peerReader } from "../hub/auth/processes.js";
import { isLocked, readLockHolder } from "../machine/lock.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import { type Address, ask } from "./hub-http.js";

/** What to do about a hub that runs and cannot be reached: --force also stops a hub that does not answer. */
export const RESTART = "hookline down --force; hookline up --detach";
const PROOF_TIMEOUT_MS = 3_000;

/** A hub that has proved that it is the one in hub.json. */
export interface FoundHub {
  readonly folder: string;
  readonly file: HubFile;
  readonly address: Address;
}

/** `none`: there is no hub.json. `left`: its hub is gone. `unusable`: it is not followed. `silent`: no answer. `impostor`: no proof. */
export type HubAbsence = "none" | "left" | "unusable" | "silent" | "impostor";

/** Why no hub can be reached; exit code 4. */
export class NoHubError extends CliError {
  readonly absence: HubAbsence;

  constructor(
    absence: HubAbsence,
    message: string,
    { cause, fix = { run: NEXT[absence] } }: { readonly cause?: unknown; readonly fix?: Fix | undefined } = {},
  ) {
    super(message, { exitCode: EXIT.notRunning, fix, cause });
    this.absence = absence;
  }
}

/** Whether an error says that no hub runs, rather than that a hub cannot be used. */
export function saysNoHub(error: unknown): boolean {
  return error instanceof NoHubError && (error.absence === "none" || error.absence === "left");
}

const NEXT: { readonly [A in HubAbsence]: string } = {
  none: "hookline up --detach",
  left: "hookline up --detach",
  unusable: "hookline doctor",
  silent: "hookline doctor",
  impostor: "hookline doctor",
};

/** Finds this user's hub and asks it for its proof. Throws `NoHubError`. If another hub has taken over meanwhile, that one is asked. */
export async function findHub(env: NodeJS.ProcessEnv): Promise<FoundHub> {
  const folder = hubFolder(env);
  for (let file = readFollowed(folder); ; ) {
    try {
      return await proved(folder, file);
    } catch (error) {
      const now = readHubFile(folder);
      if (now.state !== "found" || now.file.instance === file.instance) throw error;
      file = now.file;
    }
  }
}

async function proved(folder: string, file: HubFile): Promise<FoundHub> {
  const address = addressOf(file);
  if (process.platform !== "win32" && lstatSync(file.http, { throwIfNoEntry: false }) === undefined)
    throw leftBehind(folder, file, "ENOENT");
  const fault = findSocketFault(file.http);
  if (fault !== undefined) throw new NoHubError("unusable", `The hub's socket "${file.http}" cannot be trusted: ${fault}.`);
  await checkProof(file, address).catch((error: NoHubError) => {
    const { code } = Object(error.cause) as NodeJS.ErrnoException;
    throw code === "ECONNREFUSED" || code === "ENOENT" ? leftBehind(folder, file, code) : error;
  });
  return { folder, file, address };
}

function readFollowed(folder: string): HubFile {
  const found = readHubFile(folder);
  const path = join(folder, HUB_FILE);
  if (found.state === "found") return found.file;
  if (found.state === "none") throw new NoHubError("none", "The hub is not running.");
  throw new NoHubError("unusable", `No hub can be found, because "${path}" is ignored: ${found.reason}.`, { fix: found.fix });
}

/** Only the socket shows whether the hub runs: its process may be in another container, where its PID means something else. */
function leftBehind(folder: string, { http, pid }: HubFile, code: string): NoHubError {
  const path = join(folder, HUB_FILE);
  const lock = join(folder, "hub.lock");
  // The process that wrote hub.json holds the lock, so it runs.
  if (code === "ENOENT" && readLockHolder(lock) === pid && isLocked(lock))
    return new NoHubError("silent", `The hub (process ${pid}) runs, but its socket "${http}" was removed, so it cannot be reached.`, {
      fix: { run: RESTART },
    });
  if (code === "ECONNREFUSED")
    return new NoHubError("left", `The hub is not running: "${path}" was left behind, and no process listens on "${http}".`);
  const way = `In a container, mount the folder "${dirname(http)}" at the same path; elsewhere the hub was killed`;
  return new NoHubError("left", `The hub in "${path}" cannot be found: "${http}" does not exist. ${way}.`);
}

/** Windows has no sockets in folders, so HTTP uses loopback there; so it does where the hub cannot read who is connected to a socket. */
export function addressOf({ url, http }: HubFile): Address {
  const { host, hostname, port } = new URL(url);
  const isByTcp = process.platform === "win32" || (canSeeProcesses && peerReader() === undefined);
  if (!isByTcp) return { socketPath: http, headers: { host } };
  return tcpAddressOf({ host, hostname, port });
}

export function tcpAddressOf({ host, hostname, port }: Pick<URL, "host" | "hostname" | "port">): Address {
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 80 : Number(port), headers: { host } };
}

/** Why a socket must not be trusted; `undefined` for a good one. */
export function findSocketFault(path: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const folderFault = findFolderFault(dirname(path));
  if (folderFault !== undefined) return `its folder: ${withFix(folderFault.reason, folderFault.fix)}`;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "it does not exist";
  if (!stats.isSocket()) return "it is not a socket";
  return isOfHub(dirname(path), stats) ? undefined : `it belongs to user ${stats.uid}`;
}

/** The hub proves that it knows the token of hub.json; the token is never sent. */
export async function checkProof(file: HubFile, address: Address): Promise<void> {
  const nonce = createNonce();
  const answer = await ask(address, { path: `/api/hooks/proof?nonce=${nonce}`, timeoutMs: PROOF_TIMEOUT_MS }).catch((cause: unknown) => {
    throw new NoHubError("silent", `The hub (process ${file.pid}) does not answer: ${errorText(cause)}`, { cause });
  });
  if (isProof(proofIn(answer.body), prove(file.token, "hub", file.instance, nonce))) return;
  throw new NoHubError("impostor", `Another program answers in place of the hub (status ${answer.status}); nothing was sent to it.`);
}

function proofIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly proof?: unknown } | null)?.proof;
  } catch {
    return undefined;
  }
}
