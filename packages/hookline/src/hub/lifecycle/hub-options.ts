import { join } from "node:path";
import { HookError } from "@hookline/core";
import { MANAGED_CLIENTS, type Managed, openFolder, runtimeFolder, spoolFolder, stateFolder } from "@hookline/core/internal/machine";
import { attachFolder } from "../../agents/client/attach-key.js";
import type { Config } from "../../config/config.js";
import type { ConfigProblem } from "../../config/problem.js";
import { takeLock } from "../../machine/lock.js";
import type { Mode } from "../mode.js";
import type { StartedWith } from "../parts.js";
import type { Undo } from "./undo.js";

/** Options of `startHub`. What `hookline.toml` says is used where an option is left out. */
export interface HubOptions {
  /** Where `hub.json` stands. Default: the user's state folder. */
  readonly state?: string;
  /** Where the sockets stand. */
  readonly runtime?: string;
  /** Where the events are kept. Default: the state folder. */
  readonly data?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 4665, or any that is free if that is taken; 0 for any. */
  readonly port?: number;
  /** Lets calls be approved also over the network, by those who reach `host` from elsewhere. */
  readonly remoteApprovals?: boolean;
  /** The path of `hookline.toml`. */
  readonly config?: string;
  /**
   * Default: `plain`.
   * @internal
   */
  readonly mode?: Mode;
  /**
   * Starts the managed hub: for all users of the machine, who can only ask it.
   * @internal
   */
  readonly managed?: Managed | undefined;
  /** Takes the place of a running hub that has been told to hand over (`POST /api/handover`). Callers wait meanwhile. */
  readonly takeOver?: boolean;
  /**
   * It ends with what started it: a terminal, or npm. `hookline start` lets a hub in the background take the place of such a one.
   * @internal
   */
  readonly isTied?: boolean;
  /** Told of what takes long: a store that is brought up to date. */
  readonly onProgress?: (text: string) => void;
  /** Told of what is wrong but keeps nothing from going on. */
  readonly onProblem?: (text: string) => void;
  /** Called when an authorized client asks the hub to stop. Default: it closes. */
  readonly onStopRequest?: () => void;
}

export interface HubFolders {
  readonly state: string;
  readonly runtime: string;
  /** Where processes that ask find the hub: the state folder, or the managed hub's. */
  readonly shared: string;
  /** The record of attached agents, and their clients. */
  readonly attached: string;
  readonly data: string;
  readonly spool: string;
}

/** Makes and checks the folders. Throws `HL_STATE_FOLDER` for one that others can get at. */
export function openFolders(options: Pick<HubOptions, "state" | "runtime" | "data" | "managed">): HubFolders {
  const state = openFolder(options.state ?? stateFolder());
  const shared = options.managed?.run;
  return {
    state,
    // A given state folder means a separate hub, which must not use the sockets of another.
    runtime: openFolder(shared ?? options.runtime ?? (options.state === undefined ? runtimeFolder() : state)),
    shared: shared === undefined ? state : openFolder(shared),
    attached: shared === undefined ? attachFolder(state) : MANAGED_CLIENTS,
    data: openFolder(options.data ?? state),
    spool: openFolder(spoolFolder(state)),
  };
}

type Locked = Pick<HubFolders, "state" | "data">;

export function lockPaths({ state, data }: Locked): string[] {
  return [...new Set([join(state, "hub.lock"), join(data, "events.lock")])];
}

/** Keeps every other hub from these folders until this process ends. Throws `HL_HUB_RUNNING`, also for a hub that does not answer. */
export function takeHubLocks(folders: Locked): { release(): void } {
  const taken: { release(): void }[] = [];
  const release = (): void => {
    for (const lock of taken.splice(0)) lock.release();
  };
  try {
    for (const path of lockPaths(folders)) taken.push(takeHubLock(path));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** One of them. */
export function takeHubLock(path: string): { release(): void } {
  return takeLock(path, {
    busy: () => new HookError("HL_HUB_RUNNING", `Another hub holds "${path}".`, { fix: { run: "hookline status" } }),
  });
}

/** What a hub is started with. */
export interface HubSetting {
  readonly config: Config;
  /** What is wrong in the configuration. */
  readonly problems: readonly ConfigProblem[];
  /** The path of `hookline.toml`. */
  readonly path: string;
  readonly folders: HubFolders;
  readonly mode?: Mode;
  /** What the person who started the hub said about approvals over the network, whatever the configuration says. */
  readonly remoteApprovals?: boolean;
  /** The hub is the managed one. */
  readonly managed?: Managed | undefined;
  /** The tokens of the hub whose place it takes: those who have them go on. */
  readonly tokens?: { readonly agent: string; readonly operator: string } | undefined;
  readonly startedWith: StartedWith;
  readonly isTied: boolean;
  readonly onProgress?: ((text: string) => void) | undefined;
  readonly onProblem: (text: string) => void;
  /** Each part adds how it is closed. The parts close in the opposite order. */
  readonly undo: Undo;
}
