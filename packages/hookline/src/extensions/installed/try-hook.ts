import { HookError } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { registerSource } from "../register-source.js";
import type { InstalledHook, InstalledState } from "./installed-hook.js";
import { type Asked, type Trial, tryHandler } from "./try-handler.js";

/** Why a hook cannot be tried, and a command that helps. */
export interface TrialFault {
  readonly message: string;
  readonly fix: { readonly run: string };
}

const DOCTOR = { run: "hookline hooks doctor" };

export interface TrialOptions {
  /** Ends the trial and the processes that it started. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a hook on an event, with a new instance on a temporary bus, which end with the trial. A hub that runs the same hook is not affected.
 * Rejects with `HL_CONFIG` for a hook that does not run.
 */
export async function tryHook(hook: InstalledHook, asked: Asked, { signal }: TrialOptions = {}): Promise<Trial> {
  const fault = trialFault(hook);
  if (fault !== undefined) throw new HookError("HL_CONFIG", fault.message, { fix: fault.fix });
  const notes: string[] = [];
  const source = (hook as Runnable).open((text) => void notes.push(text));
  const end = (): void => void source.close();
  signal?.addEventListener("abort", end, { once: true });
  try {
    signal?.throwIfAborted();
    const { id: owner, permissions } = hook;
    const trial = await tryHandler(asked, (bus, onError) => registerSource(bus, source, { owner, permissions, onError }));
    return { ...trial, notes };
  } finally {
    signal?.removeEventListener("abort", end);
    await source.close();
  }
}

type Runnable = InstalledHook & Required<Pick<InstalledHook, "open">>;

/** Why a hook cannot be tried, and how to fix it. Undefined for a hook that runs. */
export function trialFault(hook: InstalledHook): TrialFault | undefined {
  const { name, state, problems, kind, project } = hook;
  if (kind === "rules")
    return { message: `"${name}" is a file of rules, not a hook, so it cannot be tried.`, fix: { run: "hookline selftest" } };
  if (state === "active") return hook.open === undefined ? { message: `The hook "${name}" has nothing to run.`, fix: DOCTOR } : undefined;
  const word = shellWord(name);
  const trust = `hookline hooks trust ${word}${project === undefined ? "" : ` --project ${shellWord(project)}`}`;
  const ways: { readonly [S in Exclude<InstalledState, "active">]: string } = {
    disabled: `hookline hooks enable ${word}`,
    broken: DOCTOR.run,
    waiting: `hookline policy accept ${word}`,
    untrusted: trust,
    modified: trust,
    revoked: trust,
  };
  const why = state === "broken" && problems.length > 0 ? ` ${problems.join(" ")}` : "";
  return { message: `The hook "${name}" is ${state}, so it does not run.${why}`, fix: { run: ways[state] } };
}
