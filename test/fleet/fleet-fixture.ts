import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Hub, startHub } from "hookline/hub";
import type { FleetSettings } from "hookline/internal/fleet";
import { AdminFolder } from "../../packages/fleet/dist/credentials/admin-folder.js";
import { accessOf, type Credential } from "../../packages/fleet/dist/credentials/credential.js";
import { serverText } from "../../packages/fleet/dist/credentials/server-config.js";
import type { Tenant } from "../../packages/fleet/dist/credentials/tenant.js";
import { connectServer } from "../../packages/fleet/dist/nats/connect.js";
import { ensureStreams, type StreamLimits } from "../../packages/fleet/dist/nats/streams.js";
import { freePort } from "../../packages/fleet/src/dev/nats-process.ts";
import { acceptFleetFile } from "../../packages/hookline/dist/hub/fleet/open-fleet.js";
import { startTestServer, type TestServer } from "../support/nats-server.ts";
import { removeFolder } from "../support/remove-folder.ts";

export interface FleetFixtureOptions {
  /** The path of nats-server. */
  readonly program: string;
  /** 1, or 3 for a cluster. */
  readonly servers?: 1 | 3;
  readonly limits?: StreamLimits;
}

const MIB = 1024 * 1024;

/** Servers on loopback, an admin with the credentials, and folders for hubs. */
export class FleetFixture {
  readonly folder = mkdtempSync(join(tmpdir(), "hl-fleet-"));
  readonly tenant: Tenant;
  readonly limits: StreamLimits;
  readonly #admin: AdminFolder;
  readonly #program: string;
  readonly #ports: readonly number[];
  readonly #routes: readonly number[];
  readonly servers: (TestServer | undefined)[] = [];
  #connection: NatsConnection | undefined;

  static async start({ program, servers = 1, limits }: FleetFixtureOptions): Promise<FleetFixture> {
    const ports = await freePorts(2 * servers);
    const fixture = new FleetFixture(program, ports.slice(0, servers), ports.slice(servers), {
      eventBytes: 512 * MIB,
      largeEventBytes: 64 * MIB,
      replicas: servers,
      ...limits,
    });
    await Promise.all(ports.slice(0, servers).map((_, index) => fixture.startServer(index)));
    return fixture;
  }

  /** Whatever becomes of a test, its servers end with its process. */
  readonly #onExit = (): void => {
    for (const server of this.servers) if (server !== undefined) process.kill(server.pid, "SIGKILL");
  };

  private constructor(program: string, ports: readonly number[], routes: readonly number[], limits: StreamLimits) {
    this.#program = program;
    this.#ports = ports;
    this.#routes = routes;
    this.limits = limits;
    process.once("exit", this.#onExit);
    const urls = ports.map((port) => `nats://127.0.0.1:${port}`);
    this.#admin = AdminFolder.make(join(this.folder, "admin"), { urls, replicas: ports.length });
    this.tenant = this.#admin.ensureTenant("acme", "root").tenant;
  }

  get urls(): readonly string[] {
    return this.#ports.map((port) => `nats://127.0.0.1:${port}`);
  }

  /** A credential as the settings of a hub. All names must be made before the servers start, or `reload` tells them. */
  settings(role: "host" | "hub", name: string, more: Partial<FleetSettings> = {}): FleetSettings {
    const credential = role === "host" ? this.tenant.addHost(name, {}) : this.tenant.addHub(name, false);
    const { fleet, tenant, urls, seed, rootKey } = credential;
    return { role, fleet, tenant, name, labels: {}, urls, seed, inboxPrefix: accessOf(credential).inboxPrefix, rootKey, ...more };
  }

  /** A state folder of a hub, with a credential of the fleet. */
  state(settings: FleetSettings, state = join(this.folder, "hubs", settings.name)): string {
    mkdirSync(join(state, "fleet"), { recursive: true, mode: 0o700 });
    writeFileSync(join(state, "fleet", "fleet.json"), JSON.stringify(settings), { mode: 0o600 });
    writeFileSync(join(state, "hookline.toml"), "");
    return state;
  }

  /** The same for a hub that does not run, with what `fleet join` does then. */
  async join(settings: FleetSettings, given?: string): Promise<string> {
    const state = this.state(settings, given);
    await acceptFleetFile({ state, data: state });
    return state;
  }

  config(index: number): string {
    const port = this.#ports[index] ?? 0;
    const home = this.#home(index);
    const text = serverText({ listen: `127.0.0.1:${port}`, name: `n${index}`, storeDir: home }, 1);
    const peers = this.#routes.map((route) => `nats://127.0.0.1:${route}`);
    const cluster = { name: "hl", listen: `127.0.0.1:${this.#routes[index]}`, routes: peers };
    return `${text}${this.#routes.length > 1 ? `cluster: ${JSON.stringify(cluster)}\n` : ""}${this.#admin.accounts()}`;
  }

  async startServer(index: number): Promise<TestServer> {
    const folder = this.#home(index);
    mkdirSync(folder, { recursive: true });
    const server = await startTestServer({
      program: this.#program,
      config: () => this.config(index),
      again: { port: this.#ports[index] ?? 0, folder },
    });
    this.servers[index] = server;
    return server;
  }

  async killServer(index: number): Promise<void> {
    await this.servers[index]?.stop("SIGKILL");
    this.servers[index] = undefined;
  }

  /** Deletes what the server has stored. It must not run. */
  wipe(index: number): void {
    rmSync(join(this.#home(index), "jetstream"), { recursive: true, force: true });
  }

  /** Lets the servers know which credentials there are. */
  reload(): void {
    for (const [index, server] of this.servers.entries()) server?.reload(this.config(index));
  }

  /** The connection of the admin. */
  async admin(): Promise<NatsConnection> {
    const credential = this.tenant.admin as Credential;
    this.#connection ??= await connectServer(accessOf(credential), { name: "admin", forever: true });
    return this.#connection;
  }

  /** What `fleet init` does on the server. A cluster needs a moment until it has a leader. */
  async ensure(): Promise<void> {
    const admin = await this.admin();
    for (const end = Date.now() + 60_000; ; await sleep(250)) {
      try {
        await ensureStreams(admin, this.limits);
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  #home(index: number): string {
    return join(this.folder, `server-${index}`);
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    await Promise.all(this.servers.map((server) => server?.stop("SIGKILL")));
    process.off("exit", this.#onExit);
    removeFolder(this.folder);
  }
}

/** A hub in this process. */
export async function openHub(fixture: FleetFixture, settings: FleetSettings, problems: string[] = []): Promise<Hub> {
  const state = await fixture.join(settings);
  return startHub({ state, port: 0, config: join(state, "hookline.toml"), onProblem: (text) => void problems.push(text) });
}

/** Waits until it is true: no test depends on how long that takes. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, withinMs = 50_000): Promise<void> {
  for (const end = Date.now() + withinMs; ; await sleep(50)) {
    if (await isSo()) return;
    if (Date.now() > end) throw new Error(`It did not happen: ${what}.`);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
