import { basename, join } from "node:path";
import { HookError } from "@hookline/core";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { readConfigFile } from "../../config/read-config-file.js";
import { deriveSource } from "../derive-source.js";
import type { HandlerSource } from "../handler-source.js";
import { CONFIG_NAME } from "../trust/project-hooks.js";
import { withoutAllow } from "../trust/tightening.js";
import type { Trust, TrustRow } from "../trust/trust.js";
import { readHookFolder } from "./hook-folder.js";
import { type InstalledHook, rejected } from "./installed-hook.js";
import { createRefusingSource } from "./refusing-source.js";

/** A hook that a project brings. What is read, and what runs, is the copy that was consented to, never the project's own files. */
export async function readProjectHook(row: TrustRow, trust: Trust): Promise<InstalledHook> {
  const { hook, state, reason, consent } = row;
  const shared = {
    id: `${hook.project}#${hook.name}`,
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
  } as const;
  if (state === "rejected") return rejected(shared, `${hook.path} cannot be a hook.`);
  if (state !== "trusted" && state !== "modified") return { ...shared, state };
  try {
    const copy = trust.openCopy(row);
    return hook.kind === "config" ? await withRules(shared, state, copy) : await withFolder(shared, state, copy);
  } catch (error) {
    return { ...shared, state: "modified", problems: [(error as Error).message] };
  }
}

type Found = Omit<InstalledHook, "state" | "open">;

async function withFolder(found: Found, state: "trusted" | "modified", copy: string): Promise<InstalledHook> {
  const { open, kind, hooks, permissions, broken, ...content } = await readHookFolder(copy, { permissions: "nothing" });
  return {
    ...found,
    kind,
    hooks,
    permissions,
    broken,
    problems: [...found.problems, ...content.problems],
    state: state === "modified" ? "modified" : content.state,
    ...(open !== undefined && { open: () => tightened(open(), found, state) }),
  };
}

/** Under the name of its folder, not the one it gives itself: that is what was consented to. */
function tightened(source: HandlerSource, found: Found, state: "trusted" | "modified"): HandlerSource {
  const named = deriveSource(source, { name: `${basename(found.project ?? "")}/${found.name}` });
  return state === "trusted" ? withoutAllow(named) : createRefusingSource(named, changed(found));
}

async function withRules(found: Found, state: "trusted" | "modified", copy: string): Promise<InstalledHook> {
  const read = readConfigFile(join(copy, CONFIG_NAME));
  if (read === undefined || "fault" in read) return rejected(found, read?.fault ?? `There is no ${CONFIG_NAME} in the copy.`);
  const { config, problems } = await parseConfig(read.text, found.path);
  const texts = [...found.problems, ...problems.map(formatProblem)];
  if (config === undefined) return rejected({ ...found, problems: texts }, "None of its rules can be used.");
  const { rules, broken, hooks, sinks } = config;
  if (hooks.length + sinks.length > 0)
    texts.push(`${found.path}: of this file only the rules count. Hooks of a project stand in .hookline/hooks, sinks in your own file.`);
  return { ...found, state: state === "trusted" ? "active" : "modified", rules, broken, problems: texts };
}

function changed({ name, project = "" }: Found): HookError {
  const message = `The hook "${name}" of the project "${project}" was changed since you consented to it. It does not run, and what it guards is denied. Look at it with: hookline hooks trust ${name}`;
  return new HookError("HL_UNTRUSTED", message, { failure: "untrusted" });
}
