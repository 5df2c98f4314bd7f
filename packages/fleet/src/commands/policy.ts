import { resolve } from "node:path";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CommandModule, FleetTools, PolicyTools, Terminal } from "hookline/internal/fleet";
import type { Credential } from "../credentials/credential.js";
import type { AdminChoice } from "../credentials/joined.js";
import { fetchRoster } from "../credentials/published-roster.js";
import type { Roster } from "../credentials/roster.js";
import { recordAudit } from "../nats/audit.js";
import {
  CHANNELS,
  type Channel,
  type ChannelState,
  fetchBundle,
  type Pointer,
  pointerFor,
  pushBundle,
  type Ring,
  readChannel,
  readHistory,
} from "../nats/policy-store.js";
import { readPresence } from "../nats/presence-message.js";
import { readBucket } from "../nats/read-bucket.js";
import { buckets } from "../nats/subjects.js";
import { adminOptions, personOf, readLabels, withConnection } from "./context.js";

interface RingOptions {
  readonly percent?: string;
  readonly label?: readonly string[];
}

interface PushOptions extends AdminChoice, RingOptions {
  readonly channel?: string;
  readonly name?: string;
  readonly serial?: string;
  readonly notAfter?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly data?: string;
  readonly since?: string;
}

export function policyPushCommand(tools: FleetTools): CommandModule<PushOptions> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<folder>", "the folder with rules (*.toml) and hook folders (hooks/<name>/)", option.text), tools)
        .option("--channel <name>", "stable or canary (default: stable)", option.text)
        .option("--percent <number>", "only for so many of a hundred hosts", option.text)
        .option("--label <key=value>", "only for hosts with this label; more than one must all fit", option.texts)
        .option("--not-after <time>", "until when it is valid: 30d from now, or 2027-01-31 (default: 90d)", option.time)
        .option("--serial <number>", "the serial, if the server has lost the ones before (default: the next)", option.text)
        .option("--name <name>", "what the policy is called (default: the name of the folder)", option.text)
        .option("--data <folder>", "where the fleet's store is, if no fleet hub runs here", option.text)
        .option("--since <time>", "try the rules on calls from this time on (default: 30d)", option.time)
        .option("--dry-run", "show what would change, and push nothing")
        .option("--yes", "do not ask")
        .addHelpText(
          "after",
          "\nTries the rules and hooks, and sends the calls in the fleet's store through the rules, before it asks you.",
        )
        .addHelpText("after", "Signed with your key of the fleet: your role must be policy or admin.")
        .addHelpText(
          "after",
          examples(
            "hookline fleet policy push ./policy --dry-run",
            "hookline fleet policy push ./policy --channel canary --percent 10",
            "hookline fleet policy push ./policy --channel canary --label team=web",
            "hookline fleet policy push ./policy",
          ),
        );
    },

    async run(terminal, options, [folder = ""]) {
      const channel = channelOf(options.channel);
      const ring = ringOf(options);
      const policy = await tools.policyTools();
      return withPerson(terminal, options, async (connection, author) => {
        const place = withSerial(await readPlace(connection, channel, options.serial !== undefined), options.serial);
        const path = resolve(folder);
        const bytes = await policy.buildTested(path, {
          name: options.name ?? policy.policyName(path),
          channel,
          serial: place.serial,
          notAfter: policy.endOf(options.notAfter ?? policy.DEFAULT_VALID),
          signer: { name: author.name, key: policy.readSigningKey(author.signingKey) },
        });
        const plan = { connection, author, place, bytes, ring, policy, tools, terminal };
        await showPlan(plan, options);
        if (options.dryRun === true) return EXIT.ok;
        return (await isWanted(plan, options.yes)) ? push(plan, "policy-pushed") : EXIT.failed;
      });
    },
  };
}

interface RollbackOptions extends AdminChoice {
  readonly channel?: string;
  readonly to?: string;
  readonly yes?: boolean;
}

export function policyRollbackCommand(tools: FleetTools): CommandModule<RollbackOptions> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--channel <name>", "stable or canary (default: stable)", option.text)
        .option("--to <serial>", "the content of this serial (default: the one before)", option.text)
        .option("--yes", "do not ask")
        .addHelpText(
          "after",
          "\nSigns the old content again, under a new serial: hosts never take an older serial. It goes to the hosts of the same ring.",
        )
        .addHelpText("after", examples("hookline fleet policy rollback", "hookline fleet policy rollback --to 12"));
    },

    async run(terminal, options) {
      const channel = channelOf(options.channel);
      const policy = await tools.policyTools();
      return withPerson(terminal, options, async (connection, author) => {
        const place = await readPlace(connection, channel);
        const old = policy.readBundle(await fetchBundle(connection, targetOf(place, options.to)));
        const bytes = policy.packBundle(old.files, old.executables, {
          name: old.name,
          channel,
          serial: place.serial,
          notAfter: policy.endOf(policy.DEFAULT_VALID),
          signer: { name: author.name, key: policy.readSigningKey(author.signingKey) },
        });
        const plan = { connection, author, place, bytes, ring: ringAgain(place), policy, tools, terminal };
        terminal.say(inertText(`The content of ${policy.bundleText(old)} comes back.`));
        await showChange(plan);
        return (await isWanted(plan, options.yes)) ? push(plan, "policy-rolled-back") : EXIT.failed;
      });
    },
  };
}

export function policyStatusCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly json?: boolean }> {
  const { examples, EXIT, format } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--json", "print JSON")
        .addHelpText(
          "after",
          "\nShows what each channel offers, and which hosts have it in force. Exit code 1 when a host refused it, or when the table [policy] of a host is wrong.",
        )
        .addHelpText("after", examples("hookline fleet policy status"));
    },

    async run(terminal, { json = false, ...choice }) {
      const person = personOf(terminal, choice);
      const { channels, history, hosts } = await withConnection(person, (connection) => readFleetPolicy(connection, person));
      if (json) terminal.print(inertJson(JSON.stringify({ channels, history, hosts }, undefined, 2)));
      else {
        if (history.length === 0) terminal.say("No policy was pushed yet: hookline fleet policy push <folder>");
        for (const channel of CHANNELS)
          if (channels[channel] !== undefined) terminal.print(inertText(channelLine(channels[channel], tools)));
        const rows = hosts.map((host) => [host.name, String(host.serial ?? "-"), String(host.wanted ?? "-"), stateOf(host)]);
        if (rows.length > 0)
          for (const line of format.tableLines(["HOST", "SERIAL", "OFFERED", "STATE"], rows, terminal.columns))
            terminal.print(inertText(line));
        for (const { name, fault } of hosts)
          if (fault !== undefined) {
            terminal.say(inertText(`The table [policy] of ${name} is wrong: ${fault}`));
            terminal.say(`Run on ${name}: hookline policy status`);
          }
      }
      return hosts.every(({ refused, fault }) => refused === undefined && fault === undefined) ? EXIT.ok : EXIT.failed;
    },
  };
}

type Author = Credential & { readonly signingKey: string };

/** Hosts check the role by the roster; this only says so earlier. */
async function withPerson(
  terminal: Terminal,
  choice: AdminChoice,
  act: (connection: NatsConnection, author: Author) => Promise<number>,
): Promise<number> {
  const person = personOf(terminal, choice);
  const { signingKey, role = "view" } = person;
  if (signingKey === undefined || (role !== "policy" && role !== "admin"))
    throw new HookError("HL_FLEET_CREDENTIALS", `The role of ${person.name} is "${role}". Only "policy" and "admin" sign policies.`, {
      fix: { run: `hookline fleet people add ${person.name} --role policy` },
    });
  return withConnection(person, (connection) => act(connection, { ...person, signingKey }));
}

function channelOf(given = "stable"): Channel {
  const channel = CHANNELS.find((one) => one === given);
  if (channel !== undefined) return channel;
  throw new HookError("HL_FLEET_NAME", `"${given.slice(0, 80)}" is not a channel.`, { fix: `Use one of: ${CHANNELS.join(", ")}.` });
}

function ringOf({ percent, label }: RingOptions): Ring | undefined {
  if (percent === undefined && label === undefined) return undefined;
  const share = percent === undefined ? undefined : Number(percent);
  if (share !== undefined && !(share >= 0 && share <= 100))
    throw new HookError("HL_FLEET_NAME", "--percent must be a number from 0 to 100.", { fix: "Write it as --percent 10." });
  return { ...(share !== undefined && { percent: share }), ...(label !== undefined && { labels: { ...readLabels(label) } }) };
}

/** Where the next bundle goes. */
interface Place {
  readonly channel: Awaited<ReturnType<typeof readChannel>>;
  readonly channels: { readonly [C in Channel]: ChannelState | undefined };
  readonly history: Awaited<ReturnType<typeof readHistory>>;
  readonly serial: number;
}

/** `isRepair`: what cannot be read is replaced. Without a given serial, it is unknown which one the hosts would take. */
async function readPlace(connection: NatsConnection, name: Channel, isRepair = false): Promise<Place> {
  const args = isRepair ? [() => {}] : [];
  const [history, stable, canary] = await Promise.all([
    readHistory(connection, ...args),
    readChannel(connection, "stable", ...args),
    readChannel(connection, "canary", ...args),
  ]);
  const known = [...history.value, ...[stable, canary].flatMap(({ value }) => (value === undefined ? [] : [value.current]))];
  const channels = { stable: stable.value, canary: canary.value };
  return { channel: { stable, canary }[name], channels, history, serial: Math.max(0, ...known.map(({ serial }) => serial)) + 1 };
}

/** A server that was wiped counts from 1 again, and hosts refuse that. */
function withSerial(place: Place, given: string | undefined): Place {
  if (given === undefined) return place;
  const serial = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (serial >= place.serial) return { ...place, serial };
  throw new HookError("HL_BUNDLE", `--serial must be a number, and at least ${place.serial}.`, {
    fix: { run: "hookline fleet policy status" },
  });
}

/** A rollback goes to the hosts that have what it replaces: others are offered nothing new. */
function ringAgain({ channel }: Place): Ring | undefined {
  const { ring, digest } = channel.value?.current ?? {};
  return ring?.percent === undefined || digest === undefined ? ring : { seed: digest, ...ring };
}

/** The bundle to go back to. */
function targetOf({ channel, history }: Place, to: string | undefined): Pointer {
  const current = channel.value?.current;
  const others = history.value.filter(({ digest }) => digest !== current?.digest);
  const found =
    to === undefined
      ? others.find((one) => one.channel === current?.channel && one.serial < current.serial)
      : history.value.find(({ serial }) => String(serial) === to);
  if (found !== undefined) return found;
  const known = history.value.map(({ serial }) => serial).join(", ");
  throw new HookError("HL_BUNDLE", to === undefined ? "There is no bundle to go back to." : `There is no bundle with the serial ${to}.`, {
    fix: known === "" ? { run: "hookline fleet policy push <folder>" } : `The fleet keeps the serials ${known}.`,
  });
}

interface Plan {
  readonly connection: NatsConnection;
  readonly author: Author;
  readonly place: Place;
  readonly bytes: Buffer;
  readonly ring: Ring | undefined;
  readonly policy: PolicyTools;
  readonly tools: FleetTools;
  readonly terminal: Terminal;
}

/** What differs from the bundle that most of its hosts are offered now, and what the rules would have said about the calls of the past. */
async function showPlan(plan: Plan, { data, since, dryRun = false }: PushOptions): Promise<void> {
  const { terminal, policy } = plan;
  const { rules, before } = await showChange(plan);
  try {
    const options = { ...(data !== undefined && { data }), ...(since !== undefined && { since }) };
    policy.printBacktest(await policy.backtestRules(terminal, options, { rules, ...(before !== undefined && { before }) }), terminal);
  } catch (error) {
    if (dryRun) throw error;
    terminal.say(inertText(`The rules were not tried on past calls: ${errorText(error)}`));
  }
}

async function showChange({ connection, author, place, bytes, ring, policy, tools, terminal }: Plan) {
  const bundle = policy.readBundle(bytes);
  const rules = await policy.readBundleRules(bundle);
  const roster = await fetchRoster(connection, author);
  const { meant, replaced } = audienceOf(roster, { ...pointerOf(bundle, ring), ...NOWHERE }, place);
  const [offered] = replaced;
  const before = offered && (await policy.readBundleRules(policy.readBundle(await fetchBundle(connection, offered))));
  for (const line of changes(before ?? [], rules)) terminal.print(inertText(line));
  const { countText } = tools.format;
  const told = [
    `${policy.bundleText(bundle)}: ${countText(rules.length, "rule")}, for ${meant} of ${countText(roster?.hosts.length ?? 0, "host")} of the roster`,
    ...(offered === undefined ? [] : [`it follows ${offered.name}@${offered.serial}`]),
    ...replaced.slice(1).map(({ name, serial }) => `on other hosts ${name}@${serial}, with which it is not compared`),
  ];
  terminal.say(inertText(`${told.join("; ")}.`));
  return { rules, before };
}

/** Nothing is stored yet. */
const NOWHERE = { object: "none", sha256: "", size: 1, pushedAt: 0 } as const;

function pointerOf(bundle: ReturnType<PolicyTools["readBundle"]>, ring: Ring | undefined) {
  const { name, serial, digest, notAfter, signer } = bundle;
  return { channel: channelOf(bundle.channel), name, serial, digest, notAfter, signer: signer.name, ...(ring !== undefined && { ring }) };
}

/**
 * How many hosts of the roster would take it, and what these are offered now, what most of them are offered first. Hosts can choose the canary channel themselves, which the
 * roster does not know.
 */
function audienceOf(roster: Roster | undefined, pointer: Pointer, { channel, channels }: Place) {
  const next = { stable: undefined, canary: undefined, [pointer.channel]: { current: pointer } };
  const hosts = (roster?.hosts ?? []).map(({ name, labels }) => ({ name, labels, channel: "stable" }));
  const meant = hosts.filter((host) => pointerFor(host, next) !== undefined);
  const counts = new Map<number, { readonly offered: Pointer; readonly hosts: number }>();
  for (const host of meant) {
    const offered = pointerFor(host, channels);
    if (offered !== undefined) counts.set(offered.serial, { offered, hosts: (counts.get(offered.serial)?.hosts ?? 0) + 1 });
  }
  const replaced = [...counts.values()].sort((a, b) => b.hosts - a.hosts).map(({ offered }) => offered);
  const current = channel.value?.current;
  return { meant: meant.length, replaced: meant.length === 0 && current !== undefined ? [current] : replaced };
}

interface NamedRule {
  readonly name: string;
}

function changes(before: readonly NamedRule[], after: readonly NamedRule[]): string[] {
  const textOf = ({ file: _, line: __, ...rule }: NamedRule & { readonly file?: string; readonly line?: number }) => JSON.stringify(rule);
  const old = new Map(before.map((rule) => [rule.name, textOf(rule)]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((rule) => (!old.has(rule.name) ? [`+ ${rule.name}`] : old.get(rule.name) === textOf(rule) ? [] : [`~ ${rule.name}`])),
    ...before.flatMap(({ name }) => (names.has(name) ? [] : [`- ${name}`])),
  ];
}

async function isWanted({ terminal, tools }: Plan, yes = false): Promise<boolean> {
  if (yes) return true;
  if (!terminal.isInteractive || terminal.stdin.isTTY !== true)
    throw new HookError("HL_BUNDLE", "Nothing was pushed: there is no terminal to ask you.", { fix: "Add --yes." });
  const prompt = tools.createPrompt(terminal.stdin, process.stderr);
  try {
    return /^y(es)?$/i.test(((await prompt.ask("Push it? [y/N] ")) ?? "").trim());
  } finally {
    prompt.close();
  }
}

async function push({ connection, author, place, bytes, ring, policy, tools, terminal }: Plan, action: string): Promise<number> {
  const bundle = policy.readBundle(bytes);
  const pushed = await pushBundle(connection, bytes, pointerOf(bundle, ring), place);
  const { channel, name, serial, digest } = pushed;
  const details = { channel, digest, ...(ring !== undefined && { ring }) };
  await recordAudit(connection, author, { action, subject: `${name}@${serial}`, details });
  terminal.say(inertText(`${policy.bundleText(bundle)} is pushed. To see which hosts have it: hookline fleet policy status`));
  return tools.EXIT.ok;
}

interface HostPolicy {
  readonly name: string;
  /** The server knows the host: it has joined, and has not been away for long. */
  readonly isPresent: boolean;
  readonly serial?: number;
  /** The serial that is for it. */
  readonly wanted?: number;
  readonly stale?: string;
  readonly refused?: string;
  /** What is wrong with its table `[policy]`. */
  readonly fault?: string;
}

async function readFleetPolicy(connection: NatsConnection, person: Credential) {
  const [roster, presence, history, stable, canary] = await Promise.all([
    fetchRoster(connection, person),
    readBucket(connection, buckets.hosts),
    readHistory(connection),
    readChannel(connection, "stable"),
    readChannel(connection, "canary"),
  ]);
  const channels = { stable: stable.value, canary: canary.value };
  const hosts = (roster?.hosts ?? []).map(({ name, labels }): HostPolicy => {
    const told = readPresence(presence.get(name));
    const { channel, serial, stale, refused, fault } = Object(told?.policy) as { readonly [field: string]: unknown };
    const wanted = pointerFor({ name, labels, channel: typeof channel === "string" ? channel : "stable" }, channels);
    return {
      name,
      isPresent: told !== undefined,
      ...(typeof serial === "number" && { serial }),
      ...(wanted !== undefined && { wanted: wanted.serial }),
      ...(typeof stale === "string" && { stale }),
      ...(typeof refused === "string" && { refused }),
      ...(typeof fault === "string" && { fault }),
    };
  });
  return { channels, history: history.value, hosts };
}

function stateOf({ isPresent, serial, wanted, stale, refused }: HostPolicy): string {
  const said = refused ?? stale;
  if (said !== undefined) return said;
  if (!isPresent) return "away";
  if (wanted === undefined) return "nothing offered";
  if (serial === wanted) return "in force";
  // The ring of what it has does not reach it any more.
  return serial !== undefined && serial > wanted ? "keeps the newer one" : "not yet";
}

function channelLine({ current }: ChannelState, { format }: FleetTools): string {
  const { channel, name, serial, signer, pushedAt, ring } = current;
  const labels = Object.entries(ring?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const parts = [...(ring?.percent === undefined ? [] : [`${ring.percent} %`]), ...labels];
  return `${channel.padEnd(7)} ${name}@${serial}, signed by ${signer}, pushed ${format.agoText(pushedAt)}${parts.length === 0 ? "" : `, for ${parts.join(" of ")}`}`;
}
