import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { FleetSettings } from "hookline/internal/fleet";
import { type Judge, judgeStore } from "../../faults/judge.ts";
import { type Claim, keyOf } from "../../faults/oracle.ts";
import { Crew, type Member, type Publisher, until } from "../../faults/processes.ts";
import { claimsOf } from "../../faults/settling.ts";
import { checkIntegrity, type StoredRow } from "../../faults/store-rows.ts";
import { FleetFixture, type FleetFixtureOptions } from "../fleet-fixture.ts";

const HUB_APP = "hookline-hub";
const FRESH_MS = 5000;
const ARRIVE_MS = 120_000;

/** A host: its own folders, a hub and a publisher, each a process. */
export interface Host {
  readonly name: string;
  readonly crew: Crew;
  readonly publisher: Publisher;
  hub: Member;
}

export interface FleetCrewOptions extends FleetFixtureOptions {
  readonly seed: number;
  readonly hosts: readonly string[];
  readonly burst?: number;
  readonly minChars?: number;
  /** Where hosts connect to instead of the servers. */
  readonly through?: (port: number) => Promise<string>;
  /** Without one, the scenario starts it when it wants. */
  readonly hasFleetHub?: boolean;
}

interface Load {
  readonly burst: number;
  readonly minChars: number | undefined;
  readonly through: FleetCrewOptions["through"] | undefined;
}

interface FleetStatus {
  readonly status?: { readonly confirmed?: number; readonly last?: number; readonly state?: string; readonly isConnected?: boolean };
}

/** Servers, a fleet hub and hosts under load. All are gone when it is. */
export class FleetCrew implements AsyncDisposable {
  readonly fixture: FleetFixture;
  readonly hosts: Host[] = [];
  readonly hubCrew = new Crew();
  fleetHub: Member | undefined;

  private constructor(fixture: FleetFixture) {
    this.fixture = fixture;
  }

  static async start(options: FleetCrewOptions): Promise<FleetCrew> {
    const { seed, hosts, burst = 3, minChars, through, hasFleetHub = true } = options;
    const crew = new FleetCrew(await FleetFixture.start(options));
    try {
      await crew.#begin({ seed, hosts, burst, minChars, through, hasFleetHub });
      return crew;
    } catch (error) {
      await crew[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #begin(options: Pick<FleetCrewOptions, "seed" | "hosts" | "hasFleetHub"> & Load): Promise<void> {
    const { seed, hosts, burst, minChars, through, hasFleetHub } = options;
    const { fixture } = this;
    const hub = fixture.settings("hub", "main");
    const settings = hosts.map((name) => fixture.settings("host", name));
    fixture.reload();
    await fixture.ensure();
    await fixture.join(hub, this.hubCrew.state);
    if (hasFleetHub === true) await this.startFleetHub();
    for (const [index, own] of settings.entries()) {
      const url = through === undefined ? undefined : await through(Number(new URL(fixture.urls[0] ?? "").port));
      const urls = url === undefined ? own.urls : [url];
      await this.#addHost({ ...own, urls }, { seed: seed + index, burst, ...(minChars !== undefined && { minChars }) });
    }
  }

  async #addHost(
    settings: FleetSettings,
    load: { readonly seed: number; readonly burst: number; readonly minChars?: number },
  ): Promise<void> {
    const crew = new Crew();
    await this.fixture.join(settings, crew.state);
    const hub = await crew.startHub();
    const { name } = settings;
    const publisher = await crew.startPublisher({ name, everyMs: 50, durable: true, ...load });
    await publisher.member.ask("go");
    this.hosts.push({ name, crew, publisher, hub });
  }

  /** Gives a host another credential. */
  async rejoin({ crew }: Host, settings: FleetSettings): Promise<void> {
    await this.fixture.join(settings, crew.state);
  }

  async startFleetHub(): Promise<void> {
    this.fleetHub = await this.hubCrew.startHub();
  }

  async killFleetHub(): Promise<boolean> {
    const ending = await this.fleetHub?.kill();
    return ending?.signal === "SIGKILL";
  }

  async killHost(host: Host): Promise<boolean> {
    return (await host.hub.kill()).signal === "SIGKILL";
  }

  async startHost(host: Host): Promise<void> {
    host.hub = await host.crew.startHub();
  }

  /** How many events of all hosts are in the fleet's store: the file itself says so. */
  stored(): number {
    const database = new DatabaseSync(this.hubCrew.store, { readOnly: true });
    try {
      return Number((database.prepare("SELECT count(*) AS count FROM events WHERE host IS NOT NULL").get() as { count: number }).count);
    } finally {
      database.close();
    }
  }

  /** Waits until more arrives: what is broken next was at work. */
  async flowing(): Promise<void> {
    const before = this.stored();
    await until("events of hosts arrive in the fleet's store", () => this.stored() > before, ARRIVE_MS);
  }

  async statusOf({ crew }: Host): Promise<NonNullable<FleetStatus["status"]>> {
    return (await crew.get<FleetStatus>("/api/fleet").catch((): FleetStatus => ({}))).status ?? {};
  }

  /** I9, then everything is sent, and the fleet's store is compared with what was sent: I1 to I5 and I8. */
  async judge(judge: Judge, since: number): Promise<void> {
    for (const host of this.hosts) await this.#judgeFresh(judge, host, since);
    const claims = await claimsOf(this.hosts.map(({ publisher }) => publisher));
    for (const host of this.hosts)
      await until(
        `everything of ${host.name} is confirmed`,
        async () => {
          const { confirmed = -1 } = await this.statusOf(host);
          return confirmed >= lastPlace(host.crew.store);
        },
        ARRIVE_MS,
      );
    for (const member of [...this.hosts.map(({ hub }) => hub), this.fleetHub]) {
      await member?.ask("close");
      await member?.kill();
    }
    this.#judgeStores(judge, claims);
  }

  async #judgeFresh(judge: Judge, { name, publisher: { member } }: Host, since: number): Promise<void> {
    const before = lastPlace(this.hubCrew.store);
    const { index, isFlushed } = await member.ask<{ index: number; isFlushed: boolean }>("fresh");
    const key = keyOf(name, index);
    const sentAt = performance.now();
    await until(`${key} is in the fleet's store`, this.#finder(name, key, before), ARRIVE_MS);
    const ms = Math.round(performance.now() - Math.max(since, sentAt));
    judge.expect("I9", isFlushed, `${key} was not acknowledged`);
    judge.expect("I9", ms <= FRESH_MS, `a fresh event of ${name} took ${ms} ms`);
    judge.note(`a fresh event of ${name} was in the fleet's store after ${ms} ms`);
  }

  /** Looks for an event among those that were stored since it looked last: what it costs, the fleet would lack. */
  #finder(host: string, key: string, after: number): () => boolean {
    let seen = after;
    return () => {
      const database = new DatabaseSync(this.hubCrew.store, { readOnly: true });
      try {
        const find = "SELECT place, host = ? AND instr(body, ?) > 0 AS isIt FROM events WHERE place > ? ORDER BY place";
        const rows = database.prepare(find).all(host, `"key":"${key}"`, seen) as { place: number; isIt: number }[];
        seen = rows.at(-1)?.place ?? seen;
        return rows.some(({ isIt }) => isIt === 1);
      } finally {
        database.close();
      }
    };
  }

  #judgeStores(judge: Judge, claims: readonly Claim[]): void {
    const rows = readHostRows(this.hubCrew.store);
    const names = new Set(this.hosts.map(({ name }) => name));
    const strangers = rows.filter(({ host }) => host !== null && !names.has(host));
    judge.look(
      "I2",
      strangers.length,
      strangers.map(({ id, host }) => `${id} is of the unknown host ${host}`),
    );
    for (const { name, crew } of this.hosts) {
      const ofHost = rows.filter(({ host }) => host === name);
      judgeStore(
        judge,
        // What a host's hub tells of itself, such as alarms, nobody has sent.
        ofHost.filter(({ app }) => app !== HUB_APP),
        claims.filter((claim) => claim.name === name),
      );
      // The host's own store, which is what the fleet's must equal.
      const own = readHostRows(crew.store).map(({ id }) => id);
      const differs = own.findIndex((id, index) => ofHost[index]?.id !== id);
      const isSame = differs < 0 && own.length === ofHost.length;
      judge.look(
        "own",
        own.length,
        isSame ? [] : [`${name}: ${own.length} events on the host, ${ofHost.length} in the fleet, differing at ${differs}`],
      );
    }
    judge.expect("I1", checkIntegrity(this.hubCrew.store) === "ok", "SQLite says that the fleet's store is damaged");
    judge.note(`${rows.length} events in the fleet's store`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { crew } of this.hosts) await crew[Symbol.asyncDispose]();
    await this.hubCrew[Symbol.asyncDispose]();
    await this.fixture.close();
    await pause(0);
  }
}

type HostRow = StoredRow & { readonly host: string | null; readonly app: string };

function readHostRows(path: string): HostRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT place, host, app, body FROM events ORDER BY place").all() as unknown as (Pick<
      HostRow,
      "place" | "host" | "app"
    > & {
      readonly body: string;
    })[];
    return rows.map(({ place, host, app, body }) => {
      const { id, seq, event, payload } = JSON.parse(body) as Omit<StoredRow, "place">;
      return { place, host, app, id, seq, event, payload };
    });
  } finally {
    database.close();
  }
}

function lastPlace(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number((database.prepare("SELECT max(place) AS place FROM events").get() as { place: number | null }).place ?? 0);
  } finally {
    database.close();
  }
}
