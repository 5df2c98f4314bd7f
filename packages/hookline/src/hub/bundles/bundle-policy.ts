import { errorText, HookError } from "@hookline/core";
import { type Bundle, bundleText, DEFAULT_CHANNEL, readBundle } from "../../bundles/bundle.js";
import { type BundleContent, FLEET, openBundle, ruleFilesOf } from "../../bundles/bundle-content.js";
import { tightenedHook, tightenedRule } from "../../bundles/precedence.js";
import type { Config, RuleConfig } from "../../config/config.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { everyPermission } from "../../rules/default-failure.js";
import type { Signer } from "../../rules/pack/signature.js";
import type { AlarmReport } from "../alarms/alarms.js";
import type { BundleRulesAnswer, BundleStatus, Fault } from "../protocol.js";
import { type BundleSource, followSource } from "./bundle-source.js";
import { testBundle } from "./bundle-test.js";
import { FLEET_LINE, type Pin, readFloor, readPin, readPinnedBytes, removePinned, writePin, writePinned } from "./pinned-bundle.js";

const STALE_CHECK_MS = 30_000;
/** A confirmation is written to disk at most this often. */
const CONFIRM_MS = 60_000;
const STATUS = "hookline policy status";

/** The table `[policy]`, as the operator has accepted it. */
export type AcceptedSource = Pick<Config["policy"], "from" | "keys" | "channel" | "onStale" | "maxAgeMs">;

/** Where the fleet's policy comes from. */
interface BundleSettings {
  /** A folder, a file or an https URL; `fleet`: a fleet that this hub has joined offers bundles. */
  readonly origin: { readonly from: string; readonly keys: readonly string[] } | "fleet";
  readonly channel: string;
  readonly onStale: "keep" | "tighten" | "closed";
  readonly maxAgeMs?: number;
}

/** What a bundle must be, besides newer than the one before. */
interface BundleTerms {
  /** Why a signer is not trusted. */
  readonly distrusts: (signer: Signer) => string | undefined;
  readonly channels: readonly string[];
}

type Offered = { readonly state: "active" | "same"; readonly bundle: Bundle } | { readonly state: "refused"; readonly reason: string };

export interface BundlePolicyOptions {
  readonly state: string;
  /** The folder of the store. */
  readonly data: string;
  readonly alarm: (report: AlarmReport) => void;
  readonly onProblem: (text: string) => void;
  /** Whether this hub has joined a fleet: then bundles come from there alone. */
  readonly isJoined: () => boolean;
  readonly now?: () => number;
}

/** The policy that comes in signed bundles. */
export interface BundlePolicy {
  /** Takes the settings, loads the bundle that was in force before, and follows its source. */
  configure(given: AcceptedSource): Promise<void>;
  /** Checks a bundle, tries it out, and puts it into force. The last good one stays otherwise. */
  offer(bytes: Buffer, terms: BundleTerms): Promise<Offered>;
  /** The fleet says that there is nothing newer. */
  confirm(): void;
  /** An operator has joined a fleet, or left it: then its policy no longer counts. */
  rejoin(): Promise<void>;
  /** Looks at the source now. */
  check(): Promise<void>;
  /** What is in force, for the hub's bus. */
  inForce(): readonly InstalledHook[];
  status(): BundleStatus;
  /** The files with the rules of the bundle in force. */
  ruleFiles(): BundleRulesAnswer["bundle"];
  faults(): readonly Fault[];
  /** Called when something else is in force. It is, when the listener's promise resolves. */
  onChanged(listener: () => Promise<void>): void;
  close(): void;
}

interface Active {
  readonly pin: Pin;
  readonly content: BundleContent;
}

export function createBundlePolicy({ state, data, alarm, onProblem, isJoined, now = Date.now }: BundlePolicyOptions): BundlePolicy {
  const folders = { state, data };
  let settings: BundleSettings | undefined;
  let active: Active | undefined;
  /** Why there is no bundle although there was one. */
  let lost: string | undefined;
  let failed: string | undefined;
  let refused: string | undefined;
  let stale: string | undefined;
  let source: BundleSource | undefined;
  let listener = async (): Promise<void> => {};
  let running: Promise<unknown> = Promise.resolve();
  let writtenAt = 0;

  /** One after the other: two bundles must not be judged by the same serial. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = running.then(work);
    running = next.catch(() => {});
    return next;
  }

  function staleReason(): string | undefined {
    if (settings === undefined) return undefined;
    if (lost !== undefined) return lost;
    if (active === undefined) return "No policy bundle has arrived yet.";
    const { pin } = active;
    if (now() > pin.notAfter) return `The policy bundle ${bundleText(pin)} was valid until ${new Date(pin.notAfter).toISOString()}.`;
    const { maxAgeMs } = settings;
    if (maxAgeMs === undefined || now() - pin.confirmedAt <= maxAgeMs) return undefined;
    return `The source of the policy was last reached on ${new Date(pin.confirmedAt).toISOString()}, longer ago than "maxAge" allows.`;
  }

  /** Says whether something else counts now. */
  function updateStale(): boolean {
    const before = stale;
    stale = staleReason();
    if (stale === undefined || stale === before) return (before === undefined) !== (stale === undefined);
    if (active !== undefined || lost !== undefined) alarm({ kind: "tampered", text: `${stale} ${effectOf()}`, fix: { run: STATUS } });
    return true;
  }

  function effectOf(): string {
    const how = modeNow();
    if (how === "closed") return "Every call is denied until a valid bundle arrives.";
    if (how === "tighten") return "What its rules and hooks ask about is denied until a valid bundle arrives.";
    return active === undefined ? "Only your own rules and hooks are in force." : "It stays in force.";
  }

  /** Without a bundle there is nothing to tighten, and a bundle that is lost must not mean that nothing guards. */
  function modeNow(): BundleSettings["onStale"] {
    if (stale === undefined || settings === undefined) return "keep";
    if (lost !== undefined) return "closed";
    return active === undefined && settings.onStale === "tighten" ? "closed" : settings.onStale;
  }

  async function load(): Promise<void> {
    [active, lost] = [undefined, undefined];
    const line = lineOf(settings);
    const pin = readPin(state);
    if (settings === undefined || line === undefined) return;
    if (pin === undefined || pin.line !== line) {
      if (readFloor(folders, line) !== undefined) lost = "The record of the policy bundle that was in force is gone.";
      return;
    }
    try {
      const bytes = readPinnedBytes(state);
      if (typeof bytes === "string") throw new Error(bytes);
      const bundle = readBundle(bytes);
      if (bundle.digest !== pin.digest || bundle.signer.key !== pin.signer.key)
        throw new Error("it is not the one that was put into force");
      active = { pin, content: await openBundle(bundle, state) };
    } catch (error) {
      lost = `The policy bundle ${bundleText(pin)} that was in force cannot be used: ${errorText(error)}`;
    }
  }

  async function judge(bytes: Buffer, { distrusts, channels }: BundleTerms): Promise<Offered> {
    const judgedBy = settings;
    const line = lineOf(judgedBy);
    if (line === undefined) throw refusal("This hub takes no policy bundles.");
    const bundle = readBundle(bytes);
    const distrust = distrusts(bundle.signer);
    if (distrust !== undefined) throw refusal(distrust);
    const name = bundleText(bundle);
    if (!channels.includes(bundle.channel)) throw refusal(`${name} is for another channel than "${channels.join('" and "')}".`);
    const floor = readFloor(folders, line);
    if (floor !== undefined && bundle.serial < floor.serial)
      throw refusal(`${name} is older than serial ${floor.serial}, which was in force.`);
    if (bundle.serial === floor?.serial && bundle.digest !== floor.digest)
      throw refusal(`${name} has another content than the bundle that was in force under the same serial.`);
    if (now() > bundle.notAfter) throw refusal(`${name} was valid until ${new Date(bundle.notAfter).toISOString()}.`);
    if (active?.pin.digest === bundle.digest) return { state: "same", bundle };
    const content = await openBundle(bundle, state);
    await testBundle(content);
    // The operator may have removed the signer's key meanwhile, or left the fleet.
    if (settings !== judgedBy) throw refusal(`The table [policy], or the fleet, changed while ${name} was tried out.`);
    const { serial, channel, digest, signer, notAfter } = bundle;
    const pin = { line, name: bundle.name, channel, serial, digest, signer, notAfter, activatedAt: now(), confirmedAt: now() };
    writePinned(folders, pin, bytes);
    [active, lost, stale] = [{ pin, content }, undefined, undefined];
    return { state: "active", bundle };
  }

  async function offer(bytes: Buffer, terms: BundleTerms): Promise<Offered> {
    try {
      const offered = await judge(bytes, terms);
      [refused, failed] = [undefined, undefined];
      if (offered.state === "active") {
        onProblem(`The policy bundle ${bundleText(offered.bundle)}, signed by ${offered.bundle.signer.name}, is in force.`);
        updateStale();
      } else confirm();
      return offered;
    } catch (error) {
      const reason = errorText(error);
      const stays = active === undefined ? "" : ` ${bundleText(active.pin)} stays in force.`;
      if (reason !== refused) alarm({ kind: "tampered", text: `A policy bundle was refused. ${reason}${stays}`, fix: { run: STATUS } });
      refused = reason;
      return { state: "refused", reason };
    }
  }

  /** The bus follows after the turn: what puts it there may wait for a turn itself. */
  async function offerInTurn(bytes: Buffer, terms: BundleTerms): Promise<Offered> {
    const offered = await inTurn(() => offer(bytes, terms));
    if (offered.state === "active") await listener();
    return offered;
  }

  function confirm(): void {
    failed = undefined;
    if (active === undefined) return;
    const pin = { ...active.pin, confirmedAt: now() };
    active = { ...active, pin };
    if (now() - writtenAt > CONFIRM_MS) {
      writtenAt = now();
      writePin(folders, pin);
    }
    if (updateStale()) void listener();
  }

  function follow(): BundleSource | undefined {
    if (settings === undefined || settings.origin === "fleet") return undefined;
    const { from, keys } = settings.origin;
    const { channel } = settings;
    const distrusts = (signer: Signer): string | undefined =>
      keys.some((key) => key === signer.key || key === signer.fingerprint)
        ? undefined
        : `It is signed by ${signer.name} (${signer.fingerprint}), whose key is not the "key" of [policy].`;
    return followSource({
      from,
      channel,
      offer: async (bytes) => (await offerInTurn(bytes, { distrusts, channels: [channel] })).state !== "refused",
      confirm,
      onFailed(why) {
        if (why !== failed) onProblem(`No policy bundle could be fetched: ${why}`);
        failed = why;
      },
    });
  }

  const timer = setInterval(() => {
    if (updateStale()) void listener();
  }, STALE_CHECK_MS).unref();

  return {
    async configure(given) {
      // A fleet is left with a command: that its file is gone does not free a host of its policy.
      const next = settingsOf(given, isJoined() || readFloor(folders, FLEET_LINE) !== undefined);
      if (JSON.stringify(next) === JSON.stringify(settings)) return;
      source?.close();
      settings = next;
      [failed, refused, stale] = [undefined, undefined, undefined];
      await load();
      updateStale();
      source = follow();
      // The first bundle of a folder counts from the start; a server may be slow, and the hub does not wait for it.
      if (active === undefined && settings !== undefined && settings.origin !== "fleet" && !/^https?:/i.test(settings.origin.from)) {
        const told = listener;
        listener = async () => {};
        await source?.check();
        listener = told;
      } else void source?.check();
    },
    offer: offerInTurn,
    confirm,
    async rejoin() {
      if (!isJoined() && readFloor(folders, FLEET_LINE) !== undefined) removePinned(folders);
      await listener();
    },
    async check() {
      await source?.check();
      if (updateStale()) await listener();
    },
    inForce: () => hooksOf(active, { mode: modeNow(), stale }),
    status: () => statusOf(settings, active?.pin, { stale, effect: stale === undefined ? undefined : effectOf(), failed, refused }),
    ruleFiles() {
      const bytes = active === undefined ? undefined : readPinnedBytes(state);
      if (active === undefined || !Buffer.isBuffer(bytes)) return undefined;
      const { name, channel, serial, signer } = active.pin;
      const { files } = readBundle(bytes);
      return {
        name,
        channel,
        serial,
        signer: signer.name,
        files: Object.fromEntries(ruleFilesOf(files).map((path) => [path, String(files.get(path))])),
      };
    },
    faults() {
      const what = stale ?? refused;
      // A fleet may have no policy.
      const isNone =
        active === undefined && lost === undefined && settings?.origin === "fleet" && modeNow() === "keep" && refused === undefined;
      if (settings === undefined || what === undefined || isNone) return [];
      const denies = modeNow() !== "keep";
      const effect = stale === undefined ? "The last good bundle stays in force." : effectOf();
      return [
        { kind: "config", state: "failing", name: "policy", file: originText(settings), what, effect, denies, isEdit: false, run: STATUS },
      ];
    },
    onChanged(given) {
      listener = given;
    },
    close() {
      clearInterval(timer);
      source?.close();
    },
  };
}

/** Undefined where no bundle counts. */
function settingsOf(
  { from, keys = [], channel = DEFAULT_CHANNEL, onStale = "keep", maxAgeMs }: AcceptedSource,
  isJoined: boolean,
): BundleSettings | undefined {
  if (from === undefined && !isJoined) return undefined;
  const origin = isJoined || from === undefined ? "fleet" : { from, keys };
  return { origin, channel, onStale, ...(maxAgeMs !== undefined && { maxAgeMs }) };
}

function refusal(reason: string): HookError {
  return new HookError("HL_BUNDLE", reason);
}

/** Serials of one line follow each other. Another key or channel begins a new one. */
function lineOf(settings: BundleSettings | undefined): string | undefined {
  if (settings === undefined) return undefined;
  if (settings.origin === "fleet") return FLEET_LINE;
  return `${settings.channel} ${[...settings.origin.keys].sort().join(" ")}`;
}

function originText({ origin }: BundleSettings): string {
  return origin === "fleet" ? "fleet" : origin.from;
}

interface Standing {
  readonly mode: BundleSettings["onStale"];
  readonly stale: string | undefined;
}

function hooksOf(active: Active | undefined, { mode, stale }: Standing): readonly InstalledHook[] {
  const rules = active?.content.rules ?? [];
  const hooks = active?.content.hooks ?? [];
  const isTight = mode === "tighten";
  const inForce = [
    ...(isTight ? rules.flatMap((rule) => tightenedRule(rule) ?? []) : rules),
    ...(mode === "closed" ? [closedRule(stale ?? "")] : []),
  ];
  if (inForce.length === 0 && hooks.length === 0) return [];
  return [
    {
      id: FLEET,
      name: FLEET,
      kind: "rules",
      from: "fleet",
      state: "active",
      path: active === undefined ? "policy" : `${active.pin.name}@${active.pin.serial}`,
      hooks: [],
      rules: inForce,
      ...(active !== undefined && { around: active.content.around }),
      problems: [],
      broken: [],
      version: `${active?.pin.digest ?? ""} ${mode} ${mode === "keep" ? "" : stale}`,
      permissions: everyPermission,
    },
    ...(isTight ? hooks.map(tightenedHook) : hooks),
  ];
}

function closedRule(stale: string): RuleConfig {
  const message = `${stale} [policy] says onStale = "closed", or the policy is lost, so every call is denied. To see why: ${STATUS}`;
  return { name: "policy-is-stale", events: ["*"], do: "block", message, file: "policy", line: 1 };
}

interface Notes {
  readonly stale: string | undefined;
  readonly effect: string | undefined;
  readonly failed: string | undefined;
  readonly refused: string | undefined;
}

function statusOf(settings: BundleSettings | undefined, pin: Pin | undefined, notes: Notes): BundleStatus {
  if (settings === undefined) return { isConfigured: false };
  const { stale, effect, failed, refused } = notes;
  const said = {
    ...(stale !== undefined && { stale }),
    ...(effect !== undefined && { effect }),
    ...(failed !== undefined && { failed }),
    ...(refused !== undefined && { refused }),
  };
  const shared = { isConfigured: true, from: originText(settings), channel: settings.channel, onStale: settings.onStale, ...said } as const;
  if (pin === undefined) return shared;
  const { name, channel, serial, digest, signer, notAfter, activatedAt, confirmedAt } = pin;
  return {
    ...shared,
    bundle: { name, channel, serial, digest, signer: signer.name, fingerprint: signer.fingerprint, notAfter, activatedAt, confirmedAt },
  };
}
