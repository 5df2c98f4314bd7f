import { HookError } from "@hookline/core/internal/machine";
import { inertJson } from "@hookline/core/internal/text";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import type { Credential } from "../credentials/credential.js";
import { type AdminChoice, readPerson } from "../credentials/joined.js";
import { fetchRoster } from "../credentials/published-roster.js";
import { type Cursor, readCursor } from "../nats/cursor.js";
import { type Presence, readPresence } from "../nats/presence-message.js";
import { readBucket } from "../nats/read-bucket.js";
import { buckets } from "../nats/subjects.js";
import { adminOptions, withConnection } from "./context.js";
import { labelText } from "./hosts.js";
import { joinedHub } from "./own-hub.js";

/** A host as the fleet's server knows it. */
interface HostStatus {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  /** `away`: it has told nothing for a minute. `unknown`: it is not in the roster. */
  readonly state: "present" | "left" | "away";
  readonly isListed: boolean;
  readonly version?: string;
  readonly policySerial?: number;
  /** When it last told that it is there, by its own clock. */
  readonly seenAt?: number;
  /** Events in its store that no fleet hub has confirmed. */
  readonly behind?: number;
  /** The fleet hub that stores its events. */
  readonly hub?: string;
  readonly error?: string;
}

export interface FleetStatus {
  readonly fleet: string;
  readonly tenant: string;
  readonly rosterSerial: number | undefined;
  readonly people: number;
  readonly hubs: readonly string[];
  readonly hosts: readonly HostStatus[];
}

export function statusCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly json?: boolean }> {
  const { examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--json", "print JSON")
        .addHelpText("after", "\nOf a host that has joined, without a person's credential, it shows that host alone.")
        .addHelpText(
          "after",
          examples("hookline fleet status", "hookline fleet status --json | jq '.hosts[] | select(.state != \"present\")'"),
        );
    },

    async run(terminal, { json = false, ...choice }) {
      const person = readPerson(terminal.env, choice);
      if (person === undefined) return ownStatus(tools, terminal, json);
      const status = await withConnection(person, (connection) => readStatus(connection, person));
      if (json) terminal.print(inertJson(JSON.stringify(status, undefined, 2)));
      else print(status, tools, terminal);
      return EXIT.ok;
    },
  };
}

/** The hosts of the roster and those that are present, from what the server keeps. */
export async function readStatus(connection: NatsConnection, credential: Credential): Promise<FleetStatus> {
  const [roster, presence, cursors] = await Promise.all([
    fetchRoster(connection, credential),
    readBucket(connection, buckets.hosts),
    readBucket(connection, buckets.cursor),
  ]);
  const listed = new Map((roster?.hosts ?? []).map(({ name, labels }) => [name, labels]));
  const names = [...new Set([...listed.keys(), ...presence.keys()])].sort();
  return {
    fleet: credential.fleet,
    tenant: credential.tenant,
    rosterSerial: roster?.serial,
    people: roster?.people.length ?? 0,
    hubs: (roster?.hubs ?? []).map(({ name }) => name),
    hosts: names.map((name) =>
      hostOf(name, listed.get(name), readPresence(presence.get(name)), readCursor(cursors.get(name) ?? new Uint8Array())),
    ),
  };
}

function hostOf(
  name: string,
  labels: HostStatus["labels"] | undefined,
  presence: Presence | undefined,
  cursor: Cursor | undefined,
): HostStatus {
  const { version, policy, at, last, lastError, store, state }: Partial<Presence> = presence ?? {};
  const { serial: policySerial } = Object(policy) as { readonly serial?: unknown };
  const confirmed = cursor?.store === store ? (cursor?.position ?? 0) : 0;
  return {
    name,
    labels: labels ?? {},
    isListed: labels !== undefined,
    state: presence === undefined ? "away" : state === "left" ? "left" : "present",
    ...(typeof version === "string" && { version }),
    ...(typeof policySerial === "number" && { policySerial }),
    ...(at !== undefined && { seenAt: at }),
    ...(typeof last === "number" && { behind: Math.max(0, last - confirmed) }),
    ...(cursor !== undefined && { hub: cursor.hub }),
    ...(typeof lastError === "string" && { error: lastError }),
  };
}

function print({ tenant, rosterSerial, people, hubs, hosts }: FleetStatus, { format }: FleetTools, terminal: Terminal): void {
  const { countText, tableLines, agoText } = format;
  const present = hosts.filter(({ state }) => state === "present").length;
  terminal.say(
    `Fleet "${tenant}": ${present} of ${countText(hosts.length, "host")} present, ${countText(people, "person", "people")}, ${countText(hubs.length, "fleet hub")}, roster ${rosterSerial ?? "missing"}.`,
  );
  if (hosts.length === 0) return terminal.say("To add a host: hookline fleet invite <host>");
  const rows = hosts.map((host) => [
    host.name,
    host.isListed ? host.state : `${host.state}, not in the roster`,
    host.behind === undefined ? "-" : String(host.behind),
    host.policySerial === undefined ? "-" : String(host.policySerial),
    host.version ?? "-",
    host.seenAt === undefined ? "-" : agoText(host.seenAt),
    labelText(host.labels),
  ]);
  for (const line of tableLines(["HOST", "STATE", "BEHIND", "POLICY", "VERSION", "SEEN", "LABELS"], rows, terminal.columns))
    terminal.print(line);
}

/** What the hub of this machine says of itself. */
async function ownStatus(tools: FleetTools, terminal: Terminal, json: boolean): Promise<number> {
  const { connectIfRunning, EXIT } = tools;
  const joined = await joinedHub(tools, terminal.env);
  if (joined === undefined)
    throw new HookError("HL_FLEET_CREDENTIALS", "This machine is not in a fleet, and you have no credential of a person.", {
      fix: "Paste the line of `hookline fleet invite <host>`, or try a fleet: hookline fleet dev",
    });
  const hub = await connectIfRunning(terminal.env);
  const answer =
    hub === undefined
      ? { role: joined.kind, name: joined.name, status: { error: "The hub does not run." } }
      : await hub.get<object>("/api/fleet");
  if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
  else {
    terminal.say(`This hub is in the fleet "${joined.tenant}" as ${joined.kind} "${joined.name}".`);
    for (const [key, value] of Object.entries((answer as { readonly status?: object }).status ?? answer))
      if (typeof value !== "object") terminal.print(`${key.padEnd(12)} ${inertJson(String(value))}`);
  }
  return EXIT.ok;
}
