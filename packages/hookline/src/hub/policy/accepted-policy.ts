import { join } from "node:path";
import { openFolder, readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import type { HookConfig, RuleConfig } from "../../config/config.js";
import type { HookSpec } from "../../extensions/handler-source.js";
import type { Consent } from "../../extensions/trust/consent-file.js";
import { digestOf } from "./shown.js";

export const POLICY_FILE = "policy.json";
/** Beside the store, and a fact in it: shows that a record of the accepted policy existed, and which. */
export const NOTED = "policy.sha256";
const BACKUP_FILE = `${POLICY_FILE}.bak`;
const MAX_BYTES = 16 * 1_048_576;

/** A hook as the operator accepted it. */
export interface AcceptedHook {
  /** Its owner name on the bus. */
  readonly id: string;
  readonly name: string;
  /** The digest of what runs. */
  readonly digest: string;
  /** When it is asked: its events, matches, limits and whether it is on. */
  readonly settings: HookSettings;
  /** The hash of the copy of its files, if there is one, and the folder that they came from. */
  readonly copy?: string;
  readonly root: string;
  /** Its table in `hookline.toml`, or its folder. */
  readonly config?: HookConfig;
  readonly folder?: string;
}

export interface HookSettings {
  readonly enabled: boolean;
  readonly name: string;
  readonly dialect?: string;
  readonly permissions: readonly string[];
  readonly hooks: readonly HookSpec[];
}

/** A consent to a hook of a project that the operator accepted. */
export interface AcceptedConsent {
  /** The hook's owner name on the bus. */
  readonly id: string;
  readonly name: string;
  readonly consent: Consent;
}

/** Settings outside rules and hooks that change what is decided, or who decides. */
export interface DecidingSettings {
  readonly "policy.autoAccept"?: "all";
  /** From which signed bundles come, and whose. They may bring code. */
  readonly "policy.from"?: string;
  readonly "policy.key"?: readonly string[];
  readonly "policy.channel"?: string;
  readonly "policy.onStale"?: "keep" | "tighten" | "closed";
  /** In milliseconds. */
  readonly "policy.maxAge"?: number;
  readonly "hub.host"?: string;
  readonly "hub.remoteApprovals"?: boolean;
  /** In milliseconds. */
  readonly "hub.askTimeout"?: number;
  /** Where people reach the dashboard from elsewhere. */
  readonly "hub.publicUrl"?: string;
  /** Which proxy names the people of the fleet. */
  readonly "fleet.personHeader"?: string;
  readonly "fleet.proxy"?: string;
  readonly "fleet.proxyUser"?: number;
}

/** Everything that the operator has accepted. */
export interface AcceptedPolicy {
  readonly rules: readonly RuleConfig[];
  readonly hooks: readonly AcceptedHook[];
  readonly consents: readonly AcceptedConsent[];
  readonly settings: DecidingSettings;
  /** Why everything but a tightening waits, also in plain mode: the files come from elsewhere, and no person has looked at them here. */
  readonly held?: string;
}

export const nothingAccepted: AcceptedPolicy = { rules: [], hooks: [], consents: [], settings: {} };

/** `none`: there never was a record. `lost`: there was one, and it cannot be used. */
export type ReadPolicy =
  | { readonly state: "found"; readonly policy: AcceptedPolicy; readonly fault?: string }
  | { readonly state: "none" }
  | { readonly state: "lost"; readonly fault: string };

export interface KnownPolicy {
  /** The digest that the hub noted last: another record, or none, was not written by the hub. */
  readonly known?: string | undefined;
  /** There was a record before, whatever its digest was. */
  readonly isOld?: boolean;
  /** A record that this refuses counts as lost. */
  readonly isUsable?: (isKnown: boolean) => boolean;
}

/** Reads the record of what was accepted. */
export function readAcceptedPolicy(state: string, { known, isOld = false, isUsable = () => true }: KnownPolicy = {}): ReadPolicy {
  const path = join(state, POLICY_FILE);
  // Without a note, a record of an old installation may be anyone's.
  const isNoted = (record: AcceptedPolicy): boolean => (known === undefined ? !isOld : digestOf(record) === known);
  const main = tryRead(state, POLICY_FILE);
  if (typeof main === "object") {
    const isKnown = isNoted(main);
    if (isUsable(isKnown))
      return { state: "found", policy: main, ...(!isKnown && { fault: `The record "${path}" was not written by the hub.` }) };
    return { state: "lost", fault: `The record of the accepted policy, "${path}", was not written by the hub.` };
  }
  const copy = tryRead(state, BACKUP_FILE);
  if (typeof copy === "object" && isUsable(isNoted(copy)))
    return { state: "found", policy: copy, fault: `The record of the accepted policy, "${path}", ${main}; its backup is used.` };
  if (main === GONE && copy === GONE && known === undefined && !isOld) return { state: "none" };
  return { state: "lost", fault: `The record of the accepted policy, "${path}", ${main}.` };
}

/** Writes the record and its backup. Returns its digest. */
export function writeAcceptedPolicy(state: string, policy: AcceptedPolicy): string {
  const folder = openFolder(state);
  for (const name of [POLICY_FILE, BACKUP_FILE]) replacePrivately(folder, name, `${JSON.stringify(policy, undefined, 1)}\n`);
  return digestOf(policy);
}

/** From now on everything on disk that is not accepted waits, but for what tightens. While no hub runs. */
export function holdPolicy({ state, data }: { readonly state: string; readonly data: string }, held: string): void {
  const read = readAcceptedPolicy(state);
  // Where the record is lost, everything waits already.
  if (read.state === "lost") return;
  const policy = read.state === "found" ? read.policy : nothingAccepted;
  replacePrivately(openFolder(data), NOTED, `${writeAcceptedPolicy(state, { ...policy, held })}\n`);
}

const GONE = "is gone";

function tryRead(folder: string, name: string): AcceptedPolicy | string {
  const read = readPrivately(folder, name, { maxBytes: MAX_BYTES });
  if (read.state === "none") return GONE;
  if (read.state !== "found") return `cannot be used: ${read.reason}`;
  try {
    return check(JSON.parse(read.bytes.toString("utf8"))) ?? "cannot be used: it is not such a record";
  } catch {
    return "cannot be used: it is not JSON";
  }
}

function check(document: unknown): AcceptedPolicy | undefined {
  if (!isRecord(document)) return undefined;
  const { rules, hooks, consents = [], settings, held } = document;
  if (held !== undefined && !isText(held)) return undefined;
  if (!Array.isArray(rules) || !rules.every(isRule) || !Array.isArray(hooks) || !hooks.every(isHook) || !isRecord(settings))
    return undefined;
  if (!Array.isArray(consents) || !consents.every(isAcceptedConsent)) return undefined;
  return { rules, hooks, consents, settings, ...(held !== undefined && { held }) };
}

function isRule(rule: unknown): rule is RuleConfig {
  return isRecord(rule) && isText(rule.name) && isText(rule.do) && Array.isArray(rule.events) && rule.events.every(isText);
}

function isHook(hook: unknown): hook is AcceptedHook {
  return isRecord(hook) && [hook.id, hook.name, hook.digest, hook.root].every(isText) && isRecord(hook.settings);
}

function isAcceptedConsent(one: unknown): one is AcceptedConsent {
  return (
    isRecord(one) && [one.id, one.name].every(isText) && isRecord(one.consent) && isText(one.consent.hash) && isText(one.consent.project)
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
