import { join } from "node:path";
import {
  type HubFile,
  type HubState,
  type Managed,
  readHubFile,
  readManaged,
  runtimeFolder,
  stateFolder,
} from "@hookline/core/internal/machine";
import type { StatusAnswer } from "../../hub/protocol.js";
import { readStoreVersion, SCHEMA_VERSION } from "../../hub/store/schema.js";
import { findInstallation } from "../../machine/installation.js";
import { type FoundHub, findHub, NoHubError } from "../find-hub.js";
import { connectHub, type HubClient } from "../hub-client.js";

/** The facts that the checks use, read once. */
export interface Facts {
  readonly env: NodeJS.ProcessEnv;
  /** The managed hub of this machine; then the folders are its own, and not those of the user. */
  readonly managed: Managed | undefined;
  /** The folder in which processes find the hub. */
  readonly state: string;
  readonly runtime: string;
  readonly hubFile: HubState;
  /** The contents of hub.json, if the hub has proved itself. */
  readonly running: HubFile | undefined;
  /** Why no hub can be reached. */
  readonly noHub: NoHubError | undefined;
  /** The hub, if it accepts the operator's token. */
  readonly hub: HubClient | undefined;
  /** Where the events are stored: as the hub says, or the default folder if it cannot be asked. */
  readonly data: string;
  /** The command after which a hub can run: a store that is newer than this program comes first. */
  readonly start: string;
  /** The hub's status; rejects if the hub cannot be asked. */
  status(): Promise<StatusAnswer>;
}

export async function readFacts(env: NodeJS.ProcessEnv): Promise<Facts> {
  const managed = readManaged();
  const state = managed?.run ?? stateFolder(env);
  const found = await findHub(env).catch(noHubIn);
  const running = found instanceof NoHubError ? undefined : found.file;
  const hub = running === undefined ? undefined : await connectHub(env).catch(() => undefined);
  const reach = (): HubClient => {
    if (hub === undefined) throw new Error("The hub cannot be asked.");
    return hub;
  };
  const status = once(() => reach().get<StatusAnswer>("/api/status"));
  const data = (await status().catch(() => undefined))?.data ?? state;
  const isNewer = (readStoreVersion(join(data, "events.db")) ?? 0) > SCHEMA_VERSION;
  return {
    env,
    managed,
    state,
    runtime: managed?.run ?? runtimeFolder(env),
    hubFile: readHubFile(state),
    running,
    noHub: found instanceof NoHubError ? found : undefined,
    hub,
    data,
    start: isNewer ? findInstallation().update : "hookline up --detach",
    status,
  };
}

function noHubIn(error: unknown): FoundHub | NoHubError {
  if (error instanceof NoHubError) return error;
  throw error;
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= Promise.resolve().then(read);
    return result;
  };
}
