import { errorText } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetPolicy, FleetSettings, PolicySigner } from "hookline/internal/fleet";
import type { PinnedRoster } from "../credentials/pinned-roster.js";
import type { Link } from "../nats/link.js";
import { CHANNELS, fetchBundle, pointerFor, readChannel } from "../nats/policy-store.js";
import { buckets, subjects } from "../nats/subjects.js";

const PERIOD_MS = 60_000;
/** All hosts hear of a push at the same moment: about 500 of them look in a second. */
const SPREAD_MS = { perHost: 2, least: 20, most: PERIOD_MS };
const RETRY = { baseMs: 1_000, maxMs: PERIOD_MS };

export interface PolicyChannelOptions {
  readonly connection: NatsConnection;
  readonly link: Link;
  readonly settings: Pick<FleetSettings, "name" | "labels">;
  readonly policy: FleetPolicy;
  readonly roster: PinnedRoster;
  readonly onProblem: (text: string) => void;
  /** A bundle was put into force, or refused. */
  readonly onTaken?: () => void;
}

/** What a host tells the fleet about its policy. */
export function policyFacts(policy: FleetPolicy): { readonly [field: string]: unknown } {
  const { bundle, channel, stale, refused } = policy.status();
  const fault = policy.tableFault?.();
  const facts = {
    ...(channel !== undefined && { channel }),
    ...(bundle !== undefined && { serial: bundle.serial, digest: bundle.digest, name: bundle.name }),
    ...(stale !== undefined && bundle !== undefined && { stale }),
    ...(refused !== undefined && { refused: refused.slice(0, 500) }),
    ...(fault !== undefined && { fault: fault.slice(0, 500) }),
  };
  return { policy: facts, ...(bundle !== undefined && { policySerial: bundle.serial }) };
}

/** Takes the policy of the fleet: what its channel points to, if a person of the roster who may has signed it. */
export interface PolicyChannel {
  /** Looks now. */
  check(): Promise<void>;
  close(): void;
}

/**
 * A put into the bucket is a core message, which is only a hint: it may be lost. The host reads the keys themselves after it, after every
 * reconnect and every minute or so.
 */
export function followPolicy({
  connection,
  link,
  settings,
  policy,
  roster,
  onProblem,
  onTaken = () => {},
}: PolicyChannelOptions): PolicyChannel {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let running = Promise.resolve();
  let dueAt = Number.POSITIVE_INFINITY;
  let failures = 0;
  let told: string | undefined;
  /** What was refused, and by which roster: the same again would be refused again. */
  let refused: string | undefined;

  async function look(): Promise<void> {
    if (isClosed || connection.isClosed()) return;
    try {
      // One that cannot be used changes nothing: the roster that this host has seen still says who may sign.
      const unusable = await roster.refresh(connection).then(
        () => undefined,
        (error: unknown) => error,
      );
      await takePolicy();
      if (unusable !== undefined) throw unusable;
      [told, failures] = [undefined, 0];
    } catch (error) {
      failures++;
      const text = errorText(error);
      // A cut connection is told of elsewhere.
      if (link.isUp && text !== told) onProblem(`The fleet's policy could not be read: ${text}`);
      told = text;
    }
  }

  async function takePolicy(): Promise<void> {
    const [stable, canary] = await Promise.all([readChannel(connection, "stable"), readChannel(connection, "canary")]);
    const { name } = settings;
    const labels = roster.roster?.hosts.find((host) => host.name === name)?.labels ?? settings.labels;
    const { bundle, channel = "stable" } = policy.status();
    const wanted = pointerFor({ name, labels, channel }, { stable: stable.value, canary: canary.value });
    if (wanted === undefined) return;
    if (bundle !== undefined && bundle.serial === wanted.serial && bundle.digest === wanted.digest) return policy.confirm();
    // A host that has left a ring is offered an older bundle. It keeps the newer one, as every host does, until the next push.
    if (bundle !== undefined && wanted.serial < bundle.serial) return policy.confirm();
    const offer = JSON.stringify([wanted, roster.roster?.serial]);
    if (offer === refused) return;
    const { state } = await policy.offer(await fetchBundle(connection, wanted), { distrusts: distrust, channels: CHANNELS });
    refused = state === "refused" ? offer : undefined;
    onTaken();
  }

  function distrust({ name, key, fingerprint }: PolicySigner): string | undefined {
    const person = roster.roster?.people.find((one) => one.key === key && one.name === name);
    if (person === undefined) return `It is signed by ${name} (${fingerprint}), and the fleet's roster has no such person.`;
    return person.role === "policy" || person.role === "admin"
      ? undefined
      : `It is signed by ${name}, whose role in the fleet is "${person.role}". Only "policy" and "admin" sign policies.`;
  }

  function check(): Promise<void> {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    running = running.then(look);
    void running.then(() => next(failures === 0 ? PERIOD_MS * (0.75 + Math.random() / 2) : backoffDelay(failures, RETRY)));
    return running;
  }

  /** The earliest counts: a hint that comes during a look is not lost. */
  function next(ms: number): void {
    const at = performance.now() + ms;
    if (isClosed || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void check(), ms).unref();
  }

  function soon(): void {
    const hosts = roster.roster?.hosts.length ?? 0;
    next(Math.random() * Math.min(SPREAD_MS.most, Math.max(SPREAD_MS.least, hosts * SPREAD_MS.perHost)));
  }

  const hints = connection.subscribe(subjects.told(subjects.key(buckets.policy, ">")), { callback: soon });
  link.onUp(soon);
  void check();
  return {
    check,
    close() {
      isClosed = true;
      clearTimeout(timer);
      if (!connection.isClosed()) hints.unsubscribe();
    },
  };
}
