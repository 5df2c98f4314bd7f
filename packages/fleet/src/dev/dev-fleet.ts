import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HookError } from "@hookline/core/internal/machine";
import type { FleetTools } from "hookline/internal/fleet";
import { AdminFolder } from "../credentials/admin-folder.js";
import { accessOf, type Credential } from "../credentials/credential.js";
import { adminPath, DEFAULT_TENANT } from "../credentials/joined.js";
import { publishRoster } from "../credentials/published-roster.js";
import { tellHub } from "../credentials/tell-hub.js";
import type { Tenant } from "../credentials/tenant.js";
import { connectServer } from "../nats/connect.js";
import { ensureStreams } from "../nats/streams.js";
import { freePort, type NatsProcess, startNats } from "./nats-process.js";

const MIB = 1024 * 1024;
const START_MS = 60_000;
const POLL_MS = 100;
const STOP_MS = 15_000;
/** Between two runs of the scripted agent on a host. */
const PAUSE_MS = 30_000;
/** Its agent waits for a person of the fleet. */
const WAITING_HOST = "laptop-anna";

const HOSTS = [
  { name: "laptop-anna", labels: { team: "web" } },
  { name: "laptop-ben", labels: { team: "data" } },
  { name: "build-server", labels: { team: "web", kind: "ci" } },
] as const;

export interface DevFleetOptions {
  /** The path of nats-server. */
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly tools: Pick<FleetTools, "main" | "connectIfRunning">;
  readonly say: (line: string) => void;
}

/** A server, a fleet hub and three hosts as processes, in a folder that goes with them. */
export interface DevFleet {
  readonly folder: string;
  /** The variables with which commands reach the fleet hub, as its admin. */
  readonly hubEnv: { readonly [name: string]: string };
  /** A link that opens the dashboard once. */
  dashboard(): Promise<string>;
  /** Runs the scripted agent on each host, again and again, until the signal. */
  simulate(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Starts them. What was started is ended again if a step fails. */
export async function startDevFleet(options: DevFleetOptions): Promise<DevFleet> {
  const folder = mkdtempSync(join(tmpdir(), "hl-fleet-dev-"));
  const processes: ChildProcess[] = [];
  let server: NatsProcess | undefined;
  const close = async (): Promise<void> => {
    await Promise.all(processes.map(stop));
    await server?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const hub = homeIn(folder, "fleet-hub");
    const env = { ...options.env, ...hub };
    const port = await freePort();
    const limits = { eventBytes: 512 * MIB, largeEventBytes: 128 * MIB };
    const admin = AdminFolder.make(adminPath(env), { listen: `127.0.0.1:${port}`, ...limits });
    const { tenant } = admin.ensureTenant(DEFAULT_TENANT, "admin");
    const central = { name: "fleet-hub", home: hub, credential: tenant.addHub("fleet-hub", false) };
    const hosts = HOSTS.map(({ name, labels }) => ({ name, home: homeIn(folder, name), credential: tenant.addHost(name, labels) }));
    server = await startNats({ program: options.program, folder: admin.path, port });
    options.say(`NATS server on port ${port}`);
    await prepare(tenant, limits);
    for (const member of [central, ...hosts]) {
      const { name, home, credential } = member;
      const child = run(options, home, ["up", "--port", "0", "--skip-untrusted"]);
      processes.push(child);
      await waitForHub(options, child, home, name);
      // As `fleet join` does. A credential that is there before its hub starts would be an alarm: no operator has joined with it.
      const client = await options.tools.connectIfRunning({ ...options.env, ...home });
      if (client !== undefined) await tellHub(client, credential);
      options.say(member === central ? "fleet hub" : `host ${name}`);
    }
    return {
      folder,
      hubEnv: { XDG_STATE_HOME: hub.XDG_STATE_HOME, XDG_RUNTIME_DIR: hub.XDG_RUNTIME_DIR },
      async dashboard() {
        const client = await options.tools.connectIfRunning(env);
        if (client === undefined) throw new HookError("HL_FLEET_SERVER", "The fleet hub has stopped.");
        return (await client.post<{ readonly url: string }>("/api/login/link", JSON.stringify({ scopes: ["read", "approve"] }))).url;
      },
      async simulate(signal) {
        const again = async (home: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> => {
          while (!signal.aborted) {
            await ended(run(options, home, ["demo", "--fast", ...args], signal));
            await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
          }
        };
        await Promise.all(hosts.map(({ name, home }) => again(home, name === WAITING_HOST ? ["--wait"] : [])));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function prepare(tenant: Tenant, limits: { readonly eventBytes: number; readonly largeEventBytes: number }): Promise<void> {
  const connection = await connectServer(accessOf(tenant.admin as Credential), { name: "hookline fleet dev" });
  await ensureStreams(connection, limits);
  await publishRoster(connection, tenant.signedRoster);
  await connection.close();
}

/** Folders of its own for a hub, so that it has nothing to do with the user's. */
function homeIn(
  folder: string,
  name: string,
): { readonly [variable in "HOME" | "XDG_STATE_HOME" | "XDG_RUNTIME_DIR" | "XDG_CONFIG_HOME"]: string } {
  const home = join(folder, name);
  for (const path of [home, join(home, "state"), join(home, "run"), join(home, "config")]) mkdirSync(path, { mode: 0o700 });
  return { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_RUNTIME_DIR: join(home, "run"), XDG_CONFIG_HOME: join(home, "config") };
}

function run({ tools, env }: DevFleetOptions, home: NodeJS.ProcessEnv, args: readonly string[], signal?: AbortSignal): ChildProcess {
  const child = spawn(process.execPath, [tools.main, ...args], {
    env: { ...env, ...home, FORCE_COLOR: "0" },
    cwd: home.HOME,
    stdio: "ignore",
    detached: true,
    ...(signal !== undefined && { signal }),
  });
  child.on("error", () => {});
  return child;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  const hard = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended(child);
  clearTimeout(hard);
}

async function waitForHub({ tools, env }: DevFleetOptions, child: ChildProcess, home: NodeJS.ProcessEnv, name: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(POLL_MS)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if ((await tools.connectIfRunning({ ...env, ...home }).catch(() => undefined)) !== undefined) return;
  }
  throw new HookError("HL_FLEET_SERVER", `The hub of ${name} did not start.`, { fix: { run: "hookline doctor" } });
}
