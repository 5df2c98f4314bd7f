import { join, resolve } from "node:path";
import { readHubFile, runtimeFolder, stateFolder } from "@hookline/core/internal/machine";
import { attachFolder, openAttachKey, readAttachKey } from "../../agents/client/attach-key.js";
import type { AttachKey } from "../../agents/client/key-file.js";

/** Where attached agents find the hub, now or when it comes up. */
export interface AttachSetting {
  readonly state: string;
  readonly folder: string;
  readonly socket: string;
  /** The address of the running hub. */
  readonly url?: string;
  /** Missing until an agent is attached. */
  readonly key?: AttachKey;
  readonly cwd: string;
}

/** For attaching: creates the folder and the key if they are missing. */
export function attachSetting(env: NodeJS.ProcessEnv): AttachSetting & { readonly key: AttachKey } {
  const places = placesOf(env);
  const { state, socket } = places;
  // Not the socket of an existing key: this shell may have another runtime folder than the hub.
  return { ...places, folder: attachFolder(state), key: readAttachKey(state) ?? openAttachKey(state, socket) };
}

/** For reading: changes nothing. */
export function readAttachSetting(env: NodeJS.ProcessEnv): AttachSetting {
  const places = placesOf(env);
  const key = readAttachKey(places.state);
  return { ...places, folder: join(places.state, "attach"), ...(key !== undefined && { key }) };
}

function placesOf(env: NodeJS.ProcessEnv) {
  const state = stateFolder(env);
  const hub = readHubFile(state);
  return {
    state,
    socket: join(runtimeFolder(env), "http.sock"),
    ...(hub.state === "found" && { url: hub.file.url }),
    cwd: resolve("."),
  };
}
