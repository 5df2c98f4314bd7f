import { type HubState, readHubFile, runtimeFolder, stateFolder } from "@hookline/core/discover";
import type { StatusAnswer } from "../../hub/protocol.js";
import { findHub } from "../find-hub.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { messageOf } from "../report-error.js";

/** What the checks look at, read once. */
export interface Scene {
  readonly env: NodeJS.ProcessEnv;
  readonly state: string;
  readonly runtime: string;
  readonly hubFile: HubState;
  /** Why the hub does not answer, or cannot show that it is the one. */
  readonly proofProblem: string | undefined;
  /** The hub, if it can be spoken to in the operator's name. */
  readonly hub: HubClient | undefined;
  /** Where the events are: as the hub says or, if it cannot be asked, where they usually are. */
  readonly data: string;
  /** What the hub says of itself; rejects if it cannot be asked. */
  status(): Promise<StatusAnswer>;
}

export async function createScene(env: NodeJS.ProcessEnv): Promise<Scene> {
  const state = stateFolder(env);
  const proofProblem = await findHub(env).then(() => undefined, messageOf);
  const hub = proofProblem === undefined ? await connectHub(env).catch(() => undefined) : undefined;
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
    proofProblem,
    hub,
    data: (await status().catch(() => undefined))?.data ?? state,
    status,
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= Promise.resolve().then(read);
    return result;
  };
}
