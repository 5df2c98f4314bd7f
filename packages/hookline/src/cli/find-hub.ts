import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  createNonce,
  findFolderFault,
  HUB_FILE,
  type HubFile,
  isOwn,
  isProof,
  prove,
  readHubFile,
  stateFolder,
} from "@hookline/core/discover";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import { type Address, ask } from "./hub-http.js";
import { messageOf } from "./report-error.js";

const PROOF_TIMEOUT_MS = 3_000;

/** A hub that has shown that it is the one in hub.json. */
export interface FoundHub {
  readonly folder: string;
  readonly file: HubFile;
  readonly address: Address;
}

/** Finds the hub of this user and has it prove itself. Throws with exit code 4 and the way out. */
export async function findHub(env: NodeJS.ProcessEnv): Promise<FoundHub> {
  const folder = stateFolder(env);
  const file = readRunning(folder);
  const address = addressOf(file);
  const fault = findSocketFault(file.http);
  if (fault !== undefined) throw notRunning(`The hub's socket "${file.http}" is not to be trusted: ${fault}.`, "hookline doctor");
  await checkProof(file, address);
  return { folder, file, address };
}

/** What hub.json says of a hub that runs. */
function readRunning(folder: string): HubFile {
  const found = readHubFile(folder);
  const path = join(folder, HUB_FILE);
  switch (found.state) {
    case "running":
      return found.file;
    case "none":
      throw notRunning("The hub is not running.", "hookline up --detach");
    case "stale":
      throw notRunning(`The hub is not running: "${path}" was left behind, and ${found.reason}.`, "hookline up --detach");
    case "broken":
      throw notRunning(`No hub can be found: "${path}" is broken, ${found.reason}.`, `rm '${path}' && hookline up --detach`);
    case "foreign":
      throw notRunning(`No hub can be trusted: "${path}" is not to be used, ${found.reason}.`, "hookline doctor");
  }
}

/** Windows has no sockets in folders; there HTTP goes over loopback. */
export function addressOf({ url, http }: HubFile): Address {
  const { host, hostname, port } = new URL(url);
  if (process.platform !== "win32") return { socketPath: http, headers: { host } };
  return tcpAddressOf({ host, hostname, port });
}

export function tcpAddressOf({ host, hostname, port }: Pick<URL, "host" | "hostname" | "port">): Address {
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 80 : Number(port), headers: { host } };
}

/** Why a socket may lead to somebody else; `undefined` for a good one. */
export function findSocketFault(path: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const folderFault = findFolderFault(dirname(path));
  if (folderFault !== undefined) return `its folder: ${folderFault}`;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "it is not there";
  if (!stats.isSocket()) return "it is no socket";
  return isOwn(stats) ? undefined : `it belongs to user ${stats.uid}`;
}

/** Whoever answers must know the token of hub.json; it is never sent. */
export async function checkProof(file: HubFile, address: Address): Promise<void> {
  const nonce = createNonce();
  const answer = await ask(address, { path: `/api/hooks/proof?nonce=${nonce}`, timeoutMs: PROOF_TIMEOUT_MS }).catch((cause: unknown) => {
    throw notRunning(`The hub (process ${file.pid}) does not answer: ${messageOf(cause)}`, "hookline doctor", cause);
  });
  if (isProof(proofIn(answer.body), prove(file.token, "hub", file.instance, nonce))) return;
  throw notRunning(`Something else answers in the hub's place (status ${answer.status}); nothing was sent to it.`, "hookline doctor");
}

function proofIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly proof?: unknown } | null)?.proof;
  } catch {
    return undefined;
  }
}

function notRunning(message: string, next: string, cause?: unknown): CliError {
  return new CliError(message, { exitCode: EXIT.notRunning, next, cause });
}
