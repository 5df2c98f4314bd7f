import { basename, join } from "node:path";
import { createBus, errorText, HookError } from "@hookline/core";
import { withFix } from "@hookline/core/internal";
import { shellWord } from "@hookline/core/internal/text";
import type { RuleConfig } from "../../config/config.js";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { readConfigFile } from "../../config/read-config-file.js";
import { everyPermission } from "../../rules/default-failure.js";
import { ruleRegex } from "../../rules/regex/rule-regex.js";
import { registerRules } from "../../rules/register-rules.js";
import { withoutState } from "../../rules/state/state-condition.js";
import { deriveSource } from "../derive-source.js";
import type { HookSpec, OwnedSource } from "../handler-source.js";
import { CONFIG_NAME, keyOf } from "../trust/project-hooks.js";
import { tighteningOnly } from "../trust/tightening.js";
import type { Trust, TrustRow } from "../trust/trust.js";
import { stampOf } from "./folder-version.js";
import { readHookFolder } from "./hook-folder.js";
import { type InstalledHook, rejected } from "./installed-hook.js";
import { type Copy, copyCheck, withIntactCopy } from "./intact-copy.js";
import { createRefusingPlaceholder, createRefusingSource } from "./refusing-source.js";
import { everyGuardable } from "./unreadable-record.js";

/** A hook of a project. Hookline reads and runs only the copy that the user consented to, never the project's own files. */
export async function readProjectHook(row: TrustRow, trust: Trust): Promise<InstalledHook> {
  const { hook, state, reason, consent } = row;
  const shared = {
    id: `${hook.project}#${keyOf(hook)}`,
    name: hook.name,
    kind: hook.kind === "config" ? ("rules" as const) : ("folder" as const),
    from: "project",
    project: hook.project,
    path: hook.path,
    version: `${state} ${consent?.hash ?? ""}`,
    problems: reason === undefined ? [] : [`${hook.path}: ${reason}.`],
    hooks: [],
    broken: [],
    permissions: [],
    ...(consent !== undefined && { consent }),
  } as const;
  if (state === "rejected") return rejected(shared, `${hook.path} cannot be a hook.`);
  if (state !== "trusted" && state !== "modified") return { ...shared, state };
  try {
    const folder = trust.openCopy(row);
    const copy = { folder, stamp: stampOf(folder), hash: consent?.hash ?? "" };
    const found = { ...shared, version: `${shared.version} ${copy.stamp}` };
    return hook.kind === "config" ? await withRules(found, state, copy) : await withFolder(found, state, copy);
  } catch (error) {
    return withoutCopy({ ...shared, version: `${shared.version} lost` }, row, error as HookError);
  }
}

/** The copy differs from what the user consented to, so it is not read. The record says what it guards; otherwise everything is guarded. */
function withoutCopy(found: Found, { hook, consent }: TrustRow, error: HookError): InstalledHook {
  const hooks = (consent?.hooks ?? everyGuardable.map((event) => ({ event }))).map(asGuard);
  const open = () => createRefusingPlaceholder({ name: nameOf(found), path: hook.path, hooks }, error);
  return { ...found, state: "modified", problems: [errorText(error)], hooks, permissions: everyPermission, open };
}

type Found = Omit<InstalledHook, "state" | "open">;

async function withFolder(found: Found, state: "trusted" | "modified", copy: Copy): Promise<InstalledHook> {
  const options = { permissions: "nothing", name: found.name } as const;
  const { open, kind, permissions, ...content } = await readHookFolder(copy.folder, options);
  const hooks = content.hooks.map(asGuard);
  return {
    ...found,
    kind,
    hooks,
    permissions,
    // The project's own path, which the user edits; the copy is what was read.
    ...(content.manifest !== undefined && { manifest: join(found.path, basename(content.manifest)) }),
    ...(content.dialect !== undefined && { dialect: content.dialect }),
    ...(content.remarks !== undefined && { remarks: content.remarks }),
    broken: content.broken.map((guard) => ({ ...guard, name: found.name })),
    problems: [...found.problems, ...content.problems],
    state: state === "modified" ? "modified" : content.state,
    ...(open !== undefined && {
      open(onProblem) {
        const source = open(undefined, copyCheck(found.name, copy));
        return tightened({ source: deriveSource(withIntactCopy(source, copy), { hooks }), found, state, onProblem });
      },
    }),
  };
}

/** It may not rewrite, so it runs with the guards, after the user's own rewrites. */
function asGuard(hook: HookSpec): HookSpec {
  return hook.stage === "rewrite" ? { ...hook, stage: "guard" } : hook;
}

interface Opening {
  readonly source: OwnedSource;
  readonly found: Found;
  readonly state: "trusted" | "modified";
  readonly onProblem?: ((text: string) => void) | undefined;
}

/** Uses the name of its folder, not the one in its manifest: the user consented to the folder's name. */
function tightened({ source, found, state, onProblem = () => {} }: Opening): OwnedSource {
  const named = deriveSource(source, { name: nameOf(found) });
  if (state === "modified") return createRefusingSource(named, changed(found));
  return tighteningOnly(named, (what) =>
    onProblem(
      `The hook "${nameOf(found)}" tried to ${what} a call, which a project's hook may not do: ${what === "allow" ? "that counts as no opinion" : "what it would change is denied"}.`,
    ),
  );
}

function nameOf({ project = "", name }: Found): string {
  return `${basename(project)}/${name}`;
}

async function withRules(found: Found, state: "trusted" | "modified", { folder }: Copy): Promise<InstalledHook> {
  const read = readConfigFile(join(folder, CONFIG_NAME));
  if (read === undefined) return rejected(found, `The copy has no ${CONFIG_NAME}.`);
  if ("fault" in read) return rejected(found, withFix(read.fault, read.fix));
  const { config, problems, warnings } = await parseConfig(read.text, found.path);
  const texts = [...found.problems, ...[...problems, ...warnings].map(formatProblem)];
  if (config === undefined) return rejected({ ...found, problems: texts }, "None of its rules can be used.");
  const { broken, hooks, sinks } = config;
  const rules = config.rules.filter((rule) => {
    const fault = loosens(rule);
    if (fault !== undefined) texts.push(fault);
    return fault === undefined;
  });
  if (hooks.length + sinks.length > 0)
    texts.push(
      `${found.path}: only the rules in this file are used. Put a project's hooks into .hookline/hooks, and sinks into your own file.`,
    );
  return { ...found, state: state === "trusted" ? "active" : "modified", rules, broken, problems: texts };
}

/** Checked on a temporary bus, so that refusals are reported before they matter. */
function loosens(rule: RuleConfig): string | undefined {
  const faults: string[] = [];
  const bus = createBus({ source: "check", enabled: true, regex: ruleRegex });
  registerRules(bus, [withoutState(rule)], { trust: "project", onError: ({ message }) => void faults.push(message) }).close();
  return faults[0];
}

function changed({ name, project = "" }: Found): HookError {
  const message = `The hook "${name}" of the project "${project}" was changed since you consented to it. It does not run, and what it guards is denied.`;
  const fix = { run: `hookline hooks trust ${shellWord(name)} --project ${shellWord(project)}` };
  return new HookError("HL_UNTRUSTED", message, { fix, failure: "untrusted" });
}
