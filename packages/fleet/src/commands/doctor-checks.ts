import { countText, shellWord } from "@hookline/core/internal/text";
import type { StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Check, Finding } from "hookline/internal/fleet";
import { isLoopbackUrl } from "../nats/connect.js";
import { differences, fleetStreams } from "../nats/streams.js";
import { allParts, eventStream } from "../nats/subjects.js";
import { serverPid } from "./context.js";
import { type FleetFacts, foundIn, type Read, type ServerFacts } from "./doctor-facts.js";

const SLOW_MS = 500;
const MAX_SKEW_MS = 5000;
const FULL = 0.8;
const MIN_PAYLOAD = 1024 * 1024;
const BEHIND = 10_000;
const DOCTOR = "hookline fleet doctor";
const INIT = "hookline fleet init";

type FleetCheck = Check<FleetFacts>;
const ok = (detail: string): Finding => ({ state: "ok", detail });
const skip = (detail: string): Finding => ({ state: "skip", detail });
const warn = (detail: string, fix?: string): Finding => ({ state: "warn", detail, ...(fix !== undefined && { fix }) });
const fail = (detail: string, fix?: string): Finding => ({ state: "fail", detail, ...(fix !== undefined && { fix }) });
const NOT_CONNECTED = skip("there is no connection to the server");
const NOT_SEEN = skip("only a person's credential sees this");

/** A finding about the connection, unless there is none: the check `server` says why. */
function connected(
  { connection }: FleetFacts,
  look: (connection: NatsConnection) => Finding | Promise<Finding>,
): Finding | Promise<Finding> {
  const found = foundIn(connection);
  return found === undefined ? NOT_CONNECTED : look(found);
}

/** The same about something that not every credential sees. */
function seen<T>({ connection }: FleetFacts, read: Read<T> | undefined, look: (value: T) => Finding, unseen = NOT_SEEN): Finding {
  return foundIn(connection) === undefined ? NOT_CONNECTED : about(read, unseen, look);
}

/** The same about the servers themselves. */
function adminSees(facts: FleetFacts, look: (servers: readonly ServerFacts[]) => Finding): Finding {
  return seen(facts, facts.servers, look, skip("only the admin's machine can ask the server"));
}

/** A finding about something that was read; its failure to be read is a finding, too. */
function about<T>(read: Read<T> | undefined, otherwise: Finding, look: (value: T) => Finding): Finding {
  if (read === undefined) return otherwise;
  if ("value" in read) return look(read.value);
  return { state: "fail", detail: read.error.message, ...(typeof read.error.fix === "object" && { fix: read.error.fix.run }) };
}

const machineChecks: readonly FleetCheck[] = [
  {
    id: "joined",
    title: "This hub's place in a fleet",
    fix: "hookline fleet join",
    look: ({ joined }) =>
      about(joined, NOT_SEEN, (credential) =>
        credential === undefined
          ? skip("this hub is not in a fleet")
          : ok(`${credential.kind} "${credential.name}" of "${credential.tenant}"`),
      ),
  },
  {
    id: "hub-follows",
    title: "The hub has read its credential",
    fix: "hookline down; hookline up --detach",
    look: ({ joined, hub }) =>
      foundIn(joined) === undefined
        ? skip("this hub is not in a fleet")
        : about(hub, NOT_SEEN, (answer) => {
            if (answer === undefined) return warn("the hub does not run, so it sends nothing", "hookline up --detach");
            if (answer.role === "none") return fail("the running hub does not know that it has joined");
            const { isConnected, error } = Object(answer.status) as { readonly [field: string]: unknown };
            if (typeof error === "string") return fail(error);
            return isConnected === true ? ok("yes, and it is connected") : warn("the hub is not connected to the server; it keeps trying");
          }),
  },
  {
    id: "person",
    title: "Your credential as a person",
    fix: "hookline fleet people",
    look: ({ person }) =>
      about(person, NOT_SEEN, (credential) =>
        credential === undefined
          ? skip("you have none here: checks of the whole fleet are skipped")
          : ok(`${credential.name}, role ${credential.role ?? "view"}`),
      ),
  },
  {
    id: "admin-folder",
    title: "The admin's folder",
    fix: INIT,
    look: ({ admin }) =>
      about(admin, NOT_SEEN, (found) =>
        found === undefined
          ? skip("this machine does not administer a fleet")
          : ok(`${found.admin.path}, roster ${found.tenant.roster.serial}`),
      ),
  },
  {
    id: "two-admins",
    title: "More than one admin",
    fix: "hookline fleet people add --help",
    look: (facts) =>
      seen(facts, facts.roster, (found) => {
        if (found === undefined) return skip("there is no roster");
        const admins = found.people.filter(({ role }) => role === "admin").length;
        return admins > 1 ? ok(`${admins}`) : warn("the fleet has one admin: if the key is lost, no other person can change the fleet");
      }),
  },
];

const connectionChecks: readonly FleetCheck[] = [
  {
    id: "server",
    title: "The server answers and accepts the credential",
    fix: "hookline fleet status",
    look: ({ connection, admin }) => {
      if (connection === undefined) return skip("this machine has no credential of a fleet");
      if ("value" in connection) return ok(`${connection.value.info?.server_name}, version ${connection.value.info?.version}`);
      const folder = foundIn(admin)?.admin;
      return fail(connection.error.message, folder === undefined ? undefined : `nats-server --config ${shellWord(folder.configPath)}`);
    },
  },
  {
    id: "version",
    title: "The server has atomic batches and JetStream",
    fix: "nats-server --version",
    look: (facts) => connected(facts, ({ info }) => ok(`version ${info?.version}`)),
  },
  {
    id: "tls",
    title: "The connection is encrypted",
    fix: `${INIT} --tls`,
    look: (facts) =>
      connected(facts, ({ info }) => {
        if (info?.tls_required === true || info?.tls_available === true) return ok("TLS");
        if (facts.credential?.urls.every(isLoopbackUrl) === true) return skip("the server is on this machine");
        return fail("events and questions cross the network as plain text");
      }),
  },
  {
    id: "round-trip",
    title: "The server is near",
    fix: DOCTOR,
    look: ({ roundTripMs }) => {
      if (roundTripMs === undefined) return NOT_CONNECTED;
      return roundTripMs < SLOW_MS ? ok(`${roundTripMs.toFixed(1)} ms`) : warn(`it took ${Math.round(roundTripMs)} ms to answer`);
    },
  },
  {
    id: "max-payload",
    title: "The server takes messages of 1 MiB",
    fix: INIT,
    look: (facts) =>
      connected(facts, ({ info }) => {
        const most = info?.max_payload ?? 0;
        return most >= MIN_PAYLOAD
          ? ok(facts.tools.format.bytesText(most))
          : warn(`max_payload is ${most}: more events than needed go through the object store`);
      }),
  },
  {
    id: "clock",
    title: "This machine's clock agrees with the server's",
    fix: "timedatectl",
    look: (facts) =>
      adminSees(facts, (found) => {
        const ahead = Math.max(0, ...found.map(({ now }) => Math.abs(Date.now() - now)));
        return ahead < MAX_SKEW_MS
          ? ok(`within ${Math.ceil(ahead / 1000)} s`)
          : warn(`they differ by ${Math.round(ahead / 1000)} s: answers expire too early or too late`);
      }),
  },
  {
    id: "own-name",
    title: "The server keeps this credential from publishing under another name",
    fix: INIT,
    look: (facts) =>
      connected(facts, async () =>
        (await facts.mayPublish(`hl.ev.${allParts[0]}.hl-doctor-probe.x`))
          ? fail("it may publish events of any host")
          : ok("tried: refused"),
      ),
  },
  {
    id: "own-inbox",
    title: "The server keeps this credential from others' replies",
    fix: INIT,
    look: (facts) =>
      connected(facts, async () =>
        (await facts.maySubscribe("hl.in.>")) ? fail("it may read the replies to every other credential") : ok("tried: refused"),
      ),
  },
  {
    id: "others-events",
    title: "The server keeps this credential from reading events off the wire",
    fix: INIT,
    look: (facts) =>
      connected(facts, async () =>
        (await facts.maySubscribe("hl.ev.>")) ? fail("it may read the events of every host") : ok("tried: refused"),
      ),
  },
];

const serverChecks: readonly FleetCheck[] = [
  {
    id: "sync-interval",
    title: "The server writes to disk before it acknowledges",
    fix: INIT,
    look: (facts) =>
      adminSees(facts, (found) => {
        const loose = found.filter(({ syncAlways }) => !syncAlways).map(({ name }) => name);
        return loose.length === 0
          ? ok("sync_interval: always")
          : warn(`${loose.join(", ")}: sync_interval is not "always", so a power cut loses what was acknowledged; hosts send it again`);
      }),
  },
  {
    id: "disk-limit",
    title: "The server's limit leaves room",
    fix: INIT,
    look: (facts) =>
      adminSees(facts, (found) => {
        const tight = found.filter(({ storage, maxStorage }) => storage > FULL * maxStorage);
        const [first] = tight;
        const { bytesText } = facts.tools.format;
        return first === undefined
          ? ok(found.map(({ storage, maxStorage }) => `${bytesText(storage)} of ${bytesText(maxStorage)}`).join(", "))
          : fail(`${first.name} uses ${bytesText(first.storage)} of ${bytesText(first.maxStorage)}`);
      }),
  },
  {
    id: "configuration",
    title: "The server's configuration is the one of this folder",
    fix: INIT,
    look: ({ admin }) =>
      about(admin, NOT_SEEN, (found) => {
        if (found === undefined) return skip("this machine does not administer a fleet");
        const pid = serverPid(found.admin);
        return pid === undefined
          ? skip(`the server runs elsewhere: after each change, copy ${found.admin.accountsPath} there`)
          : ok(`process ${pid} reads it`);
      }),
  },
  {
    id: "streams",
    title: "Streams and buckets exist as they should",
    fix: INIT,
    look: (facts) =>
      seen(facts, facts.streams, (found) => {
        const { replicas = 1 } = foundIn(facts.admin)?.admin.server ?? { replicas: found[0]?.config.num_replicas ?? 1 };
        const byName = new Map(found.map((stream) => [stream.config.name, stream]));
        const wrong = fleetStreams({ replicas }).flatMap(({ max_bytes: _, ...wanted }) => {
          const { config } = byName.get(wanted.name) ?? {};
          if (config === undefined) return [`${wanted.name} is missing`];
          const fields = differences(config, wanted);
          return fields.length === 0 ? [] : [`${wanted.name} differs in ${fields.join(", ")}`];
        });
        return wrong.length === 0 ? ok(`all ${found.length}`) : fail(wrong.slice(0, 5).join("\n"));
      }),
  },
  {
    id: "replicas",
    title: "Streams survive the loss of a server",
    fix: `${INIT} --replicas 3`,
    look: (facts) =>
      seen(facts, facts.streams, (found) => {
        const least = Math.min(...found.map(({ config }) => config.num_replicas));
        if (!Number.isFinite(least)) return skip("there are no streams");
        if (least >= 3) return ok(`${least} replicas`);
        const count = foundIn(facts.servers)?.length ?? 1;
        if (count >= 3) return warn(`there are ${count} servers, but streams have ${least} replica`);
        return skip("one server: while it is down, hosts keep their events and send them later");
      }),
  },
  {
    id: "peers",
    title: "All replicas are up to date",
    fix: DOCTOR,
    look: (facts) =>
      seen(facts, facts.streams, (found) => {
        const late = found.filter(({ cluster }) => cluster?.replicas?.some(({ current, offline }) => !current || offline === true));
        return late.length === 0 ? ok("yes") : warn(`not yet: ${late.map(({ config }) => config.name).join(", ")}`);
      }),
  },
  {
    id: "stream-space",
    title: "No stream is nearly full",
    fix: "hookline fleet up",
    look: (facts) =>
      seen(facts, facts.streams, (found) => {
        const full = found.filter(({ config, state }) => config.max_bytes > 0 && state.bytes > FULL * config.max_bytes);
        return full.length === 0
          ? ok("yes")
          : fail(`${full.map(({ config }) => config.name).join(", ")}: no fleet hub takes the events; hosts keep what does not fit`);
      }),
  },
  {
    id: "readers",
    title: "A fleet hub reads each part",
    fix: "hookline fleet up",
    look: (facts) =>
      seen(facts, facts.streams, (found) => {
        const unread = partsOf(found).filter(({ state }) => state.consumer_count === 0);
        if (unread.length === 0) return ok(countText(allParts.length, "part"));
        const waiting = unread.reduce((sum, { state }) => sum + state.messages, 0);
        return warn(
          `no fleet hub has read ${unread.map(({ config }) => config.name).join(", ")}; ${countText(waiting, "message")} not read`,
        );
      }),
  },
];

const fleetWideChecks: readonly FleetCheck[] = [
  {
    id: "roster",
    title: "The roster is signed by the root key",
    fix: INIT,
    look: (facts) =>
      seen(facts, facts.roster, (found) => {
        if (found === undefined) return fail("the server has no roster");
        const own = foundIn(facts.admin)?.tenant.roster.serial;
        return own !== undefined && own !== found.serial
          ? warn(`the server has serial ${found.serial}, this folder ${own}`)
          : ok(`serial ${found.serial}: hosts ${found.hosts.length}, people ${found.people.length}, hubs ${found.hubs.length}`);
      }),
  },
  {
    id: "hubs",
    title: "The fleet has a hub",
    fix: "hookline fleet up",
    look: (facts) =>
      seen(facts, facts.roster, (found) =>
        (found?.hubs.length ?? 0) > 0
          ? ok(`${found?.hubs.map(({ name }) => name).join(", ")}`)
          : warn("no fleet hub is in the roster, so events are only kept by the hosts"),
      ),
  },
  {
    id: "hosts-present",
    title: "All hosts are present",
    fix: "hookline fleet status",
    look: (facts) =>
      seen(facts, facts.status, ({ hosts }) => {
        const away = hosts.filter(({ state }) => state !== "present").map(({ name }) => name);
        return away.length === 0
          ? ok(`${hosts.length}`)
          : warn(`${away.length} of ${hosts.length} are away: ${away.slice(0, 10).join(", ")}`);
      }),
  },
  {
    id: "hosts-listed",
    title: "Every present host is in the roster",
    fix: "hookline fleet hosts",
    look: (facts) =>
      seen(facts, facts.status, ({ hosts }) => {
        const strange = hosts.filter(({ isListed }) => !isListed).map(({ name }) => name);
        return strange.length === 0
          ? ok("yes")
          : warn(`the server lets in hosts that the roster does not have: ${strange.slice(0, 10).join(", ")}`);
      }),
  },
  {
    id: "lag",
    title: "The fleet's store keeps up",
    fix: "hookline fleet status",
    look: (facts) =>
      seen(facts, facts.status, ({ hosts }) => {
        const late = hosts.filter(({ behind = 0 }) => behind > BEHIND).map(({ name, behind }) => `${name} (${behind})`);
        return late.length === 0 ? ok("yes") : warn(`more than ${BEHIND} events behind: ${late.slice(0, 10).join(", ")}`);
      }),
  },
  {
    id: "sending",
    title: "No host fails to send",
    fix: "hookline fleet status",
    look: (facts) =>
      seen(facts, facts.status, ({ hosts }) => {
        const failing = hosts.filter(({ error }) => error !== undefined).map(({ name, error }) => `${name}: ${error}`);
        return failing.length === 0 ? ok("yes") : warn(failing.slice(0, 5).join("\n"));
      }),
  },
  {
    id: "versions",
    title: "All hosts run this version",
    fix: "hookline fleet status",
    look: (facts) =>
      seen(facts, facts.status, ({ hosts }) => {
        const other = hosts.filter(({ version }) => version !== undefined && version !== facts.tools.version);
        return other.length === 0
          ? ok(facts.tools.version)
          : warn(
              other
                .slice(0, 10)
                .map(({ name, version }) => `${name} runs ${version}`)
                .join("\n"),
            );
      }),
  },
  {
    id: "policies",
    title: "All hosts have the same policy",
    fix: "hookline fleet status",
    look: (facts) =>
      seen(facts, facts.status, ({ hosts }) => {
        const serials = new Set(hosts.flatMap(({ policySerial }) => policySerial ?? []));
        return serials.size <= 1
          ? ok([...serials].join("") || "none")
          : warn(`serials in use: ${[...serials].sort((a, b) => a - b).join(", ")}. A canary or a ring explains it`);
      }),
  },
];

function partsOf(streams: readonly StreamInfo[]): readonly StreamInfo[] {
  const names = new Set(allParts.map(eventStream));
  return streams.filter(({ config }) => names.has(config.name));
}

/** In the order in which they are shown. */
export const fleetChecks: readonly FleetCheck[] = [...machineChecks, ...connectionChecks, ...serverChecks, ...fleetWideChecks];
