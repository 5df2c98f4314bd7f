import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, HookError } from "@hookline/core/internal/machine";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import type { AdminFolder } from "../credentials/admin-folder.js";
import { accessOf, type Credential } from "../credentials/credential.js";
import { type AdminChoice, findTenant, readPerson } from "../credentials/joined.js";
import { publishRoster } from "../credentials/published-roster.js";
import type { Tenant } from "../credentials/tenant.js";
import { type AuditEntry, recordAudit } from "../nats/audit.js";
import { connectServer } from "../nats/connect.js";

type Command = Parameters<CommandModule["define"]>[0];

/** Adds the options that say which fleet an admin's command is about. */
export function adminOptions(command: Command, { option }: FleetTools): Command {
  return command
    .option("--tenant <name>", "the fleet, if the server has several (default: main)", option.text)
    .option("--folder <path>", "the admin's folder (default: fleet-admin in the state folder)", option.text);
}

/** The fleet that this machine administers. Throws if there is none. */
export function openTenant(env: NodeJS.ProcessEnv, choice: AdminChoice): { readonly admin: AdminFolder; readonly tenant: Tenant } {
  const found = findTenant(env, choice);
  if (found !== undefined) return found;
  throw new HookError("HL_FLEET_CREDENTIALS", "This machine does not administer the fleet: the folder with its root key is not here.", {
    fix: { run: `hookline fleet init${choice.tenant === undefined ? "" : ` --tenant ${choice.tenant}`}` },
  });
}

/** How long a command waits for another one, which may wait for a server that does not answer. */
const LOCK_PATIENCE_MS = 30_000;

/** Keeps other commands from changing the admin's folder until it is released: two rosters must not have one serial. The folder must exist. */
export function lockFolder({ takeLock }: FleetTools, folder: string): { release(): void } {
  const busy = (): HookError =>
    new HookError("HL_FLEET_CREDENTIALS", `Another command is changing the fleet in "${folder}".`, {
      fix: "Wait until it has ended, and run this one again.",
    });
  return takeLock(join(folder, "change.lock"), { busy, patienceMs: LOCK_PATIENCE_MS });
}

/** Changes the fleet that this machine administers, one command at a time, until the change is published. */
export async function changeTenant<T>(
  tools: FleetTools,
  env: NodeJS.ProcessEnv,
  choice: AdminChoice,
  act: (found: ReturnType<typeof openTenant>) => Promise<T>,
): Promise<T> {
  const lock = lockFolder(tools, openTenant(env, choice).admin.path);
  try {
    // What the command before this one has saved.
    return await act(openTenant(env, choice));
  } finally {
    lock.release();
  }
}

/** A server that reads its accounts again refuses everyone for a moment, or cuts who is just connecting. */
const RELOAD_TRIES = 20;
const RELOAD_PAUSE_MS = 100;
const CUT: readonly unknown[] = ["EPIPE", "ECONNRESET"];

/** The credential that commands of this user act with. */
export function personOf({ env }: Terminal, choice: AdminChoice): Credential {
  const person = readPerson(env, choice);
  if (person !== undefined) return person;
  throw new HookError("HL_FLEET_CREDENTIALS", "This user has no credential of a person of the fleet.", {
    fix: "Let an admin run `hookline fleet people add <name> --role approve`, and run the line that it prints.",
  });
}

/** Connects for one command. */
export async function connectAs(credential: Credential): Promise<NatsConnection> {
  for (let tries = 1; ; tries++) {
    try {
      return await connectServer(accessOf(credential), { name: `hookline ${credential.kind} ${credential.name}` });
    } catch (error) {
      const isRefused = error instanceof HookError && error.code === "HL_FLEET_CREDENTIALS";
      if (!(isRefused || isCut(error)) || tries === RELOAD_TRIES) throw error;
      await sleep(RELOAD_PAUSE_MS);
    }
  }
}

/** Whether a server was there, and ended the connection while it was made. */
function isCut(error: unknown): boolean {
  return error instanceof Error && (CUT.includes((error as NodeJS.ErrnoException).code) || isCut(error.cause));
}

/** Runs something with a connection, and closes it. */
export async function withConnection<T>(credential: Credential, act: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connectAs(credential);
  try {
    return await act(connection);
  } finally {
    await connection.close();
  }
}

/**
 * Brings a change of the roster to the server and records it there: its accounts first, so that a new credential works when its holder reads the roster. Says what
 * the admin has to do by hand.
 */
export async function applyChange(admin: AdminFolder, tenant: Tenant, entry: AuditEntry, terminal: Terminal): Promise<void> {
  if (reloadServer(admin) === undefined) {
    terminal.say(`${terminal.paintTalk("yellow", "!")} The server does not know the change yet: it does not run on this machine.`);
    terminal.say(`  Copy ${admin.accountsPath} to it, and run there: nats-server --signal reload`);
  }
  const { admin: credential } = tenant;
  if (credential === undefined) return;
  const publish = async (connection: NatsConnection): Promise<void> => {
    await publishRoster(connection, tenant.signedRoster);
    await recordAudit(connection, credential, { ...entry, details: { ...entry.details, serial: tenant.roster.serial } });
  };
  await withConnection(credential, publish).catch((error: unknown) => {
    terminal.say(`${terminal.paintTalk("yellow", "!")} The new roster is not published: ${errorText(error)}`);
    terminal.say("  When the server is up: hookline fleet init");
  });
}

/** Makes the server of this machine read its configuration again. Returns its process id; `undefined` if it does not run here. */
export function reloadServer(admin: AdminFolder): number | undefined {
  const pid = serverPid(admin);
  if (pid === undefined) return undefined;
  process.kill(pid, "SIGHUP");
  return pid;
}

/** The process of the server that uses this folder's configuration. A number alone proves nothing: another program may have it by now. */
export function serverPid(admin: AdminFolder): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(admin.pidPath, "utf8"), 10);
    return Number.isSafeInteger(pid) && pid > 1 && programOf(pid) === "nats-server" ? pid : undefined;
  } catch {
    return undefined;
  }
}

function programOf(pid: number): string {
  if (process.platform === "linux") return basename(readlinkSync(`/proc/${pid}/exe`));
  return basename(execFileSync("/bin/ps", ["-p", String(pid), "-o", "comm="], { encoding: "utf8" }).trim());
}

/** `key=value` pairs of `--label`. */
export function readLabels(given: readonly string[] = []): { readonly [key: string]: string } {
  return Object.fromEntries(
    given.map((text) => {
      const [, key = "", value = ""] = /^([\w.-]{1,63})=([\w.-]{1,63})$/.exec(text) ?? [];
      if (key === "")
        throw new HookError("HL_FLEET_NAME", `"${text.slice(0, 80)}" is not a label.`, {
          fix: "Write it as key=value, for example team=web.",
        });
      return [key, value];
    }),
  );
}

/** A user's name as the name of a person of the fleet. */
export function personName(user: string): string {
  return (
    user
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]+/g, "-")
      .replace(/^[-_]+/, "")
      .slice(0, 63) || "admin"
  );
}
