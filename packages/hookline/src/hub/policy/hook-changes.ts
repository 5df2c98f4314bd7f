import { errorText, HookError } from "@hookline/core";
import { isPassing } from "@hookline/core/internal/machine";
import type { Config, HookConfig } from "../../config/config.js";
import { codeStamp, type HookCode, type HookOrigin, readHookCode } from "../../extensions/installed/hook-code.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { describeChanges } from "../../extensions/trust/describe-changes.js";
import { describeContents } from "../../extensions/trust/describe-contents.js";
import { hashEntries } from "../../extensions/trust/hash-folder.js";
import { readFolder } from "../../extensions/trust/read-folder.js";
import { createTrust } from "../../extensions/trust/trust.js";
import { makeTrustedCopy, openTrustedCopy } from "../../extensions/trust/trusted-copy.js";
import type { PolicyChange } from "../protocol.js";
import type { AcceptedHook, AcceptedPolicy, HookSettings } from "./accepted-policy.js";
import { consentedHooks } from "./consent-changes.js";
import { acceptedVersion, checkedVersion, type SeenHook, withheld } from "./hook-versions.js";
import { changedKeys, type Difference, diffOf, SAID } from "./policy-differences.js";
import { digestOf } from "./shown.js";

interface HookChangesOptions {
  readonly state: string;
  /** A hook was about to run files that are not the accepted ones. */
  readonly onChanged: () => void;
}

interface ComparedHooks {
  readonly differences: readonly Difference[];
  /** The files of all of them could be read. */
  readonly isWhole: boolean;
  /** The hooks to put on the bus, given what was accepted and what waits. */
  inForce(policy: AcceptedPolicy, waiting: ReadonlyMap<string, PolicyChange>): Promise<readonly InstalledHook[]>;
}

export interface HookChanges {
  /** `isLost`: it is unknown what was accepted, so closed guards deny. */
  compare(policy: AcceptedPolicy, config: Config, found: readonly InstalledHook[], isLost: boolean): ComparedHooks;
}

/** Compares the user's own hooks with the accepted ones. */
export function createHookChanges({ state, onChanged }: HookChangesOptions): HookChanges {
  const trust = createTrust(state);
  const cache = new Map<string, { readonly key: string; readonly code: HookCode }>();

  function codeOf(id: string, origin: HookOrigin): HookCode {
    const key = JSON.stringify(origin);
    const known = cache.get(id);
    if (known?.key === key && codeStamp(known.code, origin) === known.code.stamp) return known.code;
    const code = readHookCode(origin);
    cache.set(id, { key, code });
    return code;
  }

  function see(hook: InstalledHook, config: Config): SeenHook {
    const origin = originOf(hook, config);
    if (hook.state !== "active") return { hook, origin };
    try {
      return { hook, origin, code: codeOf(hook.id, origin) };
    } catch (error) {
      return { hook, origin, fault: errorText(error) };
    }
  }

  return {
    compare(policy, config, found, isLost) {
      const own = found.filter(({ from }) => from === "user").map((hook) => see(hook, config));
      // A table that cannot be read is not gone: it denies what it would have guarded.
      const isBroken = (id: string): boolean => config.broken.some(({ kind, name }) => kind === "hook" && name === id);
      const gone = policy.hooks.filter(({ id }) => !isBroken(id) && !own.some(({ hook }) => hook.id === id));
      const differences = [
        ...own.flatMap((seen) =>
          hookDifference(
            policy.hooks.find(({ id }) => id === seen.hook.id),
            seen,
            state,
          ),
        ),
        ...gone.filter(({ settings }) => settings.enabled).map(removal),
      ];
      return {
        differences,
        isWhole: own.every(({ fault }) => fault === undefined),
        async inForce(accepted, waiting) {
          const recordOf = (id: string) => accepted.hooks.find((one) => one.id === id);
          const version = async (seen: SeenHook): Promise<InstalledHook> => {
            const { hook } = seen;
            const change = waiting.get(`hook:${hook.id}`);
            if (change === undefined) return checkedVersion(seen, onChanged);
            const record = recordOf(hook.id);
            return record === undefined ? withheld(hook, change, isLost) : acceptedVersion(record, change, state);
          };
          const kept = accepted.hooks.flatMap((record) => {
            const change = gone.some(({ id }) => id === record.id) ? waiting.get(`hook:${record.id}`) : undefined;
            return change === undefined ? [] : [acceptedVersion(record, change, state)];
          });
          const others = found.filter(({ from }) => from !== "user");
          const consented = await consentedHooks(others, accepted, waiting, trust);
          return [...(await Promise.all(own.map(version))), ...(await Promise.all(kept)), ...consented];
        },
      };
    },
  };
}

/** The hooks as a hub with this record would have them: those whose code waits do not run. */
export function withWaiting(
  found: readonly InstalledHook[],
  config: Config,
  { policy, state }: { readonly policy: AcceptedPolicy; readonly state: string },
): readonly InstalledHook[] {
  const { differences } = createHookChanges({ state, onChanged: () => {} }).compare(policy, config, found, false);
  const waiting = new Map(differences.filter(({ effect }) => effect === "code").map(({ change }) => [change.id, change]));
  return found.map((hook) => {
    const change = hook.from === "user" ? waiting.get(`hook:${hook.id}`) : undefined;
    return change === undefined ? hook : withheld(hook, change, false);
  });
}

/** The digest of the change that would accept a hook folder with these files, by name, and no others. Undefined if it has others by now. */
export function digestOfWritten(hook: InstalledHook, files: { readonly [name: string]: string }): string | undefined {
  const { digest, entries } = readHookCode({ folder: hook.path });
  const isWritten = entries.every((entry) => entry.kind === "file" && entry.content.toString("utf8") === files[entry.name]);
  return isWritten ? digestOf([digest, settingsOf(hook)]) : undefined;
}

function originOf({ entry, path }: InstalledHook, { hooks }: Config): HookOrigin {
  const config = entry && hooks.find(({ file, line }) => file === entry.file && line === entry.line);
  return config === undefined ? { folder: path } : { config };
}

function settingsOf({ name, state, dialect, permissions, hooks }: InstalledHook): HookSettings {
  const enabled = state !== "disabled";
  return { enabled, name, ...(dialect !== undefined && { dialect }), permissions: enabled ? permissions : [], hooks };
}

function hookDifference(record: AcceptedHook | undefined, seen: SeenHook, state: string): Difference[] {
  const { hook, code, fault } = seen;
  // A broken hook denies what it would have guarded, and a disabled one does not run.
  if (hook.state === "broken" || (hook.state === "disabled" && record?.settings.enabled !== true)) return [];
  if (hook.state === "disabled") return [settingsChange(record as AcceptedHook, seen, state)];
  if (code === undefined) return [{ ...codeChange(record, seen, state), take: (policy) => refuse(policy, fault) }];
  if (record === undefined || record.digest !== code.digest) return [codeChange(record, seen, state)];
  const isSame = digestOf(record.settings) === digestOf(settingsOf(hook));
  return isSame ? [] : [settingsChange(record, seen, state)];
}

/** What cannot be read whole cannot be accepted. */
function refuse(_: AcceptedPolicy, fault = "Its files cannot be read."): AcceptedPolicy {
  throw new HookError("HL_TRUST_FOLDER", fault, { failure: "untrusted" });
}

function codeChange(record: AcceptedHook | undefined, seen: SeenHook, state: string): Difference {
  const { hook, code, fault } = seen;
  const kind = record === undefined ? "new" : "changed";
  return {
    effect: "code",
    path: hook.path,
    change: {
      id: `hook:${hook.id}`,
      kind: "hook",
      name: hook.name,
      change: kind,
      isCode: true,
      what: `the hook "${hook.name}" ${SAID[kind]}.${fault === undefined ? "" : ` ${fault}`}`,
      inForce:
        record === undefined ? "It does not run until you accept it." : "The accepted version keeps running until you accept the change.",
      denies: false,
      digest: digestOf([code?.digest ?? fault ?? "", settingsOf(hook)]),
      diff: codeDiff(record, seen, state),
    },
    take: (policy) => withHook(policy, seen, state),
  };
}

function settingsChange(record: AcceptedHook, seen: SeenHook, state: string): Difference {
  const { hook } = seen;
  // What a disabled hook would do is not read, so that part stays as it was accepted.
  const settings = seen.code === undefined ? { ...record.settings, enabled: false } : settingsOf(hook);
  return {
    effect: "other",
    path: hook.path,
    change: {
      id: `hook:${hook.id}`,
      kind: "hook",
      name: hook.name,
      change: "changed",
      isCode: false,
      what: settings.enabled
        ? `the hook "${hook.name}" was changed (${changedKeys(record.settings, settings)}).`
        : `the hook "${hook.name}" was switched off.`,
      inForce: "The accepted version stays in force until you accept the change.",
      denies: false,
      digest: digestOf([record.digest, settings]),
      diff: diffOf(hook.name, record.settings, settings),
    },
    digestWith: (set) => digestOf([record.digest, { ...record.settings, ...set }]),
    take: (policy) => {
      const others = policy.hooks.filter(({ id }) => id !== hook.id);
      return seen.code === undefined ? { ...policy, hooks: [...others, { ...record, settings }] } : withHook(policy, seen, state);
    },
  };
}

function removal(record: AcceptedHook): Difference {
  const { id, name, settings, folder, config } = record;
  return {
    effect: "other",
    path: folder ?? config?.file ?? "",
    change: {
      id: `hook:${id}`,
      kind: "hook",
      name,
      change: "removed",
      isCode: false,
      what: `the hook "${name}" was removed.`,
      inForce: "The accepted version keeps running until you accept the removal.",
      denies: false,
      digest: digestOf(["removed", id]),
      diff: diffOf(name, settings, undefined),
    },
    take: (policy) => ({ ...policy, hooks: policy.hooks.filter((hook) => hook.id !== id) }),
  };
}

/** The policy with a hook as it is on disk, and a copy of its files. */
function withHook(policy: AcceptedPolicy, seen: SeenHook, state: string): AcceptedPolicy {
  const { hook, origin, code } = seen;
  if (code === undefined) return refuse(policy, seen.fault);
  const copy = copyOf(code, state);
  const record: AcceptedHook = {
    id: hook.id,
    name: hook.name,
    digest: code.digest,
    settings: settingsOf(hook),
    root: code.root,
    ...(copy !== undefined && { copy }),
    ...origin,
  };
  return { ...policy, hooks: [...policy.hooks.filter(({ id }) => id !== hook.id), record] };
}

/** Undefined for files that are too many for a copy: if they change, closed guards deny. */
function copyOf({ entries }: HookCode, state: string): string | undefined {
  if (entries.length === 0) return undefined;
  try {
    const folder = makeTrustedCopy(state, entries);
    readFolder(folder);
    return hashEntries(entries);
  } catch (error) {
    if (isPassing(error)) throw error;
    return undefined;
  }
}

function codeDiff(record: AcceptedHook | undefined, { hook, code, origin }: SeenHook, state: string): string {
  const definition = "config" in origin ? origin.config : undefined;
  const settings = diffOf(hook.name, record && { ...record.settings, ...placeless(record.config) }, {
    ...settingsOf(hook),
    ...placeless(definition),
  });
  if (code === undefined) return settings;
  return [settings, filesDiff(record, code, state)].filter((text) => text !== "").join("\n");
}

function filesDiff(record: AcceptedHook | undefined, { entries }: HookCode, state: string): string {
  if (record?.copy !== undefined)
    try {
      return describeChanges(readFolder(openTrustedCopy(state, record.copy)), entries);
    } catch {
      // The copy is missing, so the files are shown whole.
    }
  return describeContents(entries, []);
}

function placeless(config: HookConfig | undefined): object {
  if (config === undefined) return {};
  const { line: _, file: __, enabled: ___, ...rest } = config;
  const secrets = { ...("headers" in rest && { headers: hidden(rest.headers) }), ...("setEnv" in rest && { setEnv: hidden(rest.setEnv) }) };
  return { ...rest, ...secrets };
}

/** Enough to see that a value changed. */
function hidden(values: object = {}): object {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, `hidden ${digestOf([value]).slice(0, 8)}`]));
}
