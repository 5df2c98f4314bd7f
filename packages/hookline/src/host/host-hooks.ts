import { type Bus, HookError } from "@hookline/core";
import { openFolder, stateFolder } from "@hookline/core/internal/machine";
import { configPath } from "../config/config-path.js";
import { shownState } from "../extensions/installed/installed-hook.js";
import { createCarriedCounts } from "../hub/handlers/carried-counts.js";
import { readConfig } from "../hub/lifecycle/read-config.js";
import { withContext } from "../hub/policy/payload-context.js";
import { openPolicies, type Policies } from "../hub/policy/policies.js";
import { createProjectScopes, type ProjectScopes } from "../hub/policy/project-scopes.js";
import { createUntrustedProjects } from "../hub/policy/untrusted-projects.js";
import type { RuleNotice } from "../rules/actions.js";
import type { Scope } from "../rules/regex/rule-regex.js";
import { followEvents } from "../rules/register-rules.js";
import { RuleState } from "../rules/state/rule-state.js";

/** Options of `hostHooks`. */
export interface HostOptions {
  /** The path of `hookline.toml`. The folder `hooks` beside it holds the hook folders. Default: the user's own. */
  readonly config?: string;
  /** The state folder, which holds the record of consent to projects' hooks. Default: the user's own. */
  readonly state?: string;
  /** The folder the agent works in, for events that do not say. Default: the folder of this process. */
  readonly cwd?: string;
  /** Receives problems of rules and hooks. Default: `bus.report`. */
  readonly onProblem?: (text: string) => void;
}

/** A hook that is on the bus, or why it is not. */
export interface HostedHook {
  readonly name: string;
  readonly state: string;
  readonly path: string;
  readonly problems: readonly string[];
}

/** The hooks on an agent's own bus. */
export interface HostedHooks {
  /** The hooks that were found. */
  list(): readonly HostedHook[];
  /** Reads the files again now. Changes are found within a second anyway. */
  reload(): Promise<void>;
  /** Removes everything from the bus and ends its processes. */
  close(): Promise<void>;
}

/**
 * Loads hook folders, process hooks, command hooks and rules into an agent's own bus: the same files, consent and supervision as in the
 * hub, without a hub. On a bus that is off nothing is read or loaded. Rejects with `HL_CONFIG` when `hookline.toml` cannot be read.
 *
 * ```ts
 * const hooks = await hostHooks(bus);
 * ```
 */
export async function hostHooks(bus: Bus, options: HostOptions = {}): Promise<HostedHooks> {
  if (bus.isOff) return nothingHosted;
  const { cwd = process.cwd(), onProblem = (text) => bus.report(new HookError("HL_CONFIG", text)) } = options;
  const state = openFolder(options.state ?? stateFolder());
  const ruleState = new RuleState();
  const follow = (): void => (policies === undefined ? undefined : followEvents(bus, ruleState, policies.guards().rules));
  let policies: Policies | undefined;
  const opened = await openPolicies({
    bus,
    ruleState,
    ...(await readConfig(options.config, onProblem)),
    path: options.config ?? configPath(),
    state,
    scopes: scopesFrom(cwd, createUntrustedProjects(state, onProblem).visit),
    counts: createCarriedCounts(bus),
    onError: (error) => bus.report(error),
    onProblem,
    onNotify: (notice) => notify(bus, notice),
    onChange: follow,
    onConfig: () => {},
  });
  policies = opened;
  follow();
  return {
    list: () => opened.hooks().map((hook) => ({ name: hook.name, state: shownState(hook), path: hook.path, problems: hook.problems })),
    reload: opened.reload,
    close: opened.close,
  };
}

const nothingHosted: HostedHooks = { list: () => [], reload: () => Promise.resolve(), close: () => Promise.resolve() };

/** An event without a folder happened in the agent's own. */
function scopesFrom(cwd: string, onPlace: (place: string) => void): ProjectScopes {
  const scopes = createProjectScopes({ onPlace });
  scopes.see({ cwd });
  const located =
    (isMeant: Scope): Scope =>
    (payload) => {
      const known = withContext(payload, { cwd });
      scopes.see(known);
      return isMeant(known);
    };
  return { ...scopes, of: (project) => located(scopes.of(project)), ofEvery: () => located(scopes.ofEvery()) };
}

function notify(bus: Bus, { rule, message, event, session }: RuleNotice): void {
  // A rule for every event would report its own reports without end.
  if (event === "notification:sent") return;
  bus.emitSync("notification:sent", { message, rule, event, ...(session !== undefined && { session }) });
}
