import { type HubFile, type HubState, readHubFile, runtimeFolder, stateFolder } from "@hookline/core/internal/machine";
import type { StatusAnswer } from "../../hub/protocol.js";
import { type FoundHub, findHub, NoHubError } from "../find-hub.js";
import { connectHub, type HubClient } from "../hub-client.js";

/** What the checks look at, read once. */
export interface Facts {
  readonly env: NodeJS.ProcessEnv;
  readonly state: string;
  readonly runtime: string;
  readonly hubFile: HubState;
  /** What hub.json says of a hub that has proved itself. */
  readonly running: HubFile | undefined;
  /** Why there is none. */
  readonly noHub: NoHubError | undefined;
  /** The hub, if it can be spoken to in the operator's name. */
  readonly hub: HubClient | undefined;
  /** Where the events are: as the hub says or, if it cannot be asked, where they usually are. */
  readonly data: string;
  /** What the hub says of itself; rejects if it cannot be asked. */
  status(): Promise<StatusAnswer>;
}

export async function readFacts(env: NodeJS.ProcessEnv): Promise<Facts> {
  const state = stateFolder(env);
  const found = await findHub(env).catch(noHubIn);
  const running = found instanceof NoHubError ? undefined : found.file;
  const hub = running === undefined ? undefined : await connectHub(env).catch(() => undefined);
  const reach = (): HubClient => {
    if (hub === undefined) throw new Error("The hub cannot be asked.");
    return hub;
  };
  const status = once(() => reach().get<StatusAnswer>("/api/status"));
  return {
    env,
    state,
    runtime: runtimeFolder(env),
    hubFile: readHubFile(state),
    running,
    noHub: found instanceof NoHubError ? found : undefined,
    hub,
    data: (await status().catch(() => undefined))?.data ?? state,
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
