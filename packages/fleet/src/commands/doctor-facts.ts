import { createHash } from "node:crypto";
import { HookError, readManaged } from "@hookline/core/internal/machine";
import { type JetStreamManager, jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import type { FleetTools } from "hookline/internal/fleet";
import type { AdminFolder } from "../credentials/admin-folder.js";
import type { Credential } from "../credentials/credential.js";
import { type AdminChoice, findTenant, readJoined, readPerson } from "../credentials/joined.js";
import { fetchRoster } from "../credentials/published-roster.js";
import type { Roster } from "../credentials/roster.js";
import type { Tenant } from "../credentials/tenant.js";
import { connectServer } from "../nats/connect.js";
import { connectAs } from "./context.js";
import { type JoinedHub, joinedHub } from "./own-hub.js";
import { type FleetStatus, readStatus } from "./status.js";

const PROBE_MS = 2000;

/** Something that was read, or why it could not be. */
export type Read<T> = { readonly value: T } | { readonly error: HookError };

/** What the checks look at. What this machine's credentials cannot see is missing. */
export interface FleetFacts {
  readonly tools: FleetTools;
  readonly joined: Read<JoinedHub | undefined>;
  readonly person: Read<Credential | undefined>;
  readonly admin: Read<{ readonly admin: AdminFolder; readonly tenant: Tenant } | undefined>;
  /** The credential that the checks connect with: the person's, else the hub's. */
  readonly credential: Credential | undefined;
  readonly connection: Read<NatsConnection> | undefined;
  /** How long the server took to answer. */
  readonly roundTripMs: number | undefined;
  readonly roster: Read<Roster | undefined> | undefined;
  readonly streams: Read<readonly StreamInfo[]> | undefined;
  readonly manager: JetStreamManager | undefined;
  readonly status: Read<FleetStatus> | undefined;
  /** What each server says of itself; only an admin's machine can ask. */
  readonly servers: Read<readonly ServerFacts[]> | undefined;
  /** What the hub of this machine says. */
  readonly hub: Read<{ readonly [field: string]: unknown } | undefined>;
  /** Whether the server lets this credential publish or subscribe there. */
  readonly mayPublish: (subject: string) => Promise<boolean>;
  readonly maySubscribe: (subject: string) => Promise<boolean>;
  close(): Promise<void>;
}

export interface ServerFacts {
  readonly name: string;
  readonly now: number;
  readonly syncAlways: boolean;
  readonly maxStorage: number;
  readonly storage: number;
  readonly reserved: number;
}

export async function readFacts(tools: FleetTools, env: NodeJS.ProcessEnv, choice: AdminChoice): Promise<FleetFacts> {
  const joined = await read(() => joinedHub(tools, env));
  const person = await read(() => readPerson(env, choice));
  const admin = await read(() => findTenant(env, choice));
  // A managed hub keeps its credential to itself.
  const credential = foundIn(person) ?? (readManaged() === undefined ? foundIn(await read(() => readJoined(env))) : undefined);
  const connection = credential === undefined ? undefined : await read(() => connectAs(credential));
  const server = connection === undefined ? undefined : foundIn(connection);
  const seesAll = server !== undefined && credential?.kind === "person";
  const manager = server === undefined ? undefined : await jetstreamManager(server, { checkAPI: false });
  const begun = performance.now();
  await server?.flush().catch(() => {});
  const roundTripMs = server === undefined ? undefined : performance.now() - begun;
  const home = foundIn(admin);
  return {
    tools,
    joined,
    person,
    admin,
    credential,
    connection,
    roundTripMs,
    manager,
    roster: server === undefined || credential === undefined ? undefined : await read(() => fetchRoster(server, credential)),
    streams: seesAll && manager !== undefined ? await read(() => listStreams(manager)) : undefined,
    status: seesAll && credential !== undefined ? await read(() => readStatus(server, credential)) : undefined,
    servers: home === undefined || server === undefined ? undefined : await read(() => askServers(home.admin)),
    hub: await read(async () => (await tools.connectIfRunning(env))?.get<{ readonly [field: string]: unknown }>("/api/fleet")),
    mayPublish: (subject) => (server === undefined ? Promise.resolve(false) : mayPublish(server, subject)),
    maySubscribe: (subject) => (server === undefined ? Promise.resolve(false) : maySubscribe(server, subject)),
    close: async () => server?.close(),
  };
}

async function read<T>(act: () => T | Promise<T>): Promise<Read<T>> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error: error instanceof HookError ? error : new HookError("HL_FLEET_SERVER", String((error as Error).message ?? error)) };
  }
}

export function foundIn<T>(read: Read<T> | undefined): T | undefined {
  return read !== undefined && "value" in read ? read.value : undefined;
}

async function listStreams(manager: JetStreamManager): Promise<readonly StreamInfo[]> {
  const found: StreamInfo[] = [];
  for await (const stream of manager.streams.list()) found.push(stream);
  return found;
}

async function askServers(admin: AdminFolder): Promise<readonly ServerFacts[]> {
  const { systemSeed: seed, urls, ca } = admin.server;
  // The system account has no other users, so its inbox needs no secret name.
  const inboxPrefix = `_INBOX_${createHash("sha256").update(admin.systemNkey).digest("hex").slice(0, 16)}`;
  const connection = await connectServer({ urls, seed, inboxPrefix, ca }, { name: "hookline fleet doctor" });
  try {
    const found: ServerFacts[] = [];
    const answers = await connection.requestMany("$SYS.REQ.SERVER.PING.JSZ", JSON.stringify({ config: true }), {
      maxWait: 1500,
      stall: 300,
    });
    for await (const answer of answers) found.push(factsOf(answer.json()));
    return found;
  } finally {
    await connection.close();
  }
}

function factsOf(answer: unknown): ServerFacts {
  const { server, data } = answer as {
    readonly server: { readonly name: string };
    readonly data: {
      readonly now: string;
      readonly storage: number;
      readonly reserved_storage: number;
      readonly config: { readonly sync_always?: boolean; readonly max_storage: number };
    };
  };
  return {
    name: server.name,
    now: Date.parse(data.now),
    syncAlways: data.config.sync_always === true,
    maxStorage: data.config.max_storage,
    storage: data.storage,
    reserved: data.reserved_storage,
  };
}

/** Tries it, with a header for which a stream refuses the message: nothing is stored even where it is allowed. */
async function mayPublish(connection: NatsConnection, subject: string): Promise<boolean> {
  const header = headers();
  header.set("Nats-Expected-Stream", "none-of-the-fleet");
  try {
    await connection.request(subject, "", { timeout: PROBE_MS, headers: header });
    return true;
  } catch (error) {
    return !/permission/i.test(`${(error as Error).name} ${String(error)}`);
  }
}

function maySubscribe(connection: NatsConnection, subject: string): Promise<boolean> {
  return new Promise((resolve) => {
    const subscription = connection.subscribe(subject, {
      callback: (error) => {
        if (error !== null) resolve(false);
      },
    });
    // The server answers in order: a refusal comes before the answer to the second flush.
    void connection
      .flush()
      .then(() => connection.flush())
      .catch(() => {})
      .then(() => {
        resolve(true);
        subscription.unsubscribe();
      });
  });
}
