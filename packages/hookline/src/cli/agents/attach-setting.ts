import { join, resolve } from "node:path";
import { readHubFile, runtimeFolder, stateFolder } from "@hookline/core/discover";
import { attachFolder, openAttachKey, readAttachKey } from "../../agents/client/attach-key.js";

/** Where attached agents find the hub, now or when it comes up. */
export interface AttachSetting {
  readonly folder: string;
  readonly socket: string;
  readonly http: { readonly url: string; readonly token: string };
  readonly cwd: string;
}

const USUAL_URL = "http://127.0.0.1:4665";

/** For whoever attaches: makes the folder and the key where there are none. */
export function attachSetting(env: NodeJS.ProcessEnv): AttachSetting {
  const { socket, state, ...setting } = placesOf(env);
  // Not the socket of a key that is there: this may be a shell with another runtime folder than the hub's.
  const { token } = readAttachKey(state) ?? openAttachKey(state, socket);
  return { ...setting, folder: attachFolder(state), socket, http: { url: setting.url, token } };
}

/** For whoever looks: changes nothing. */
export function readAttachSetting(env: NodeJS.ProcessEnv): AttachSetting {
  const { socket, state, ...setting } = placesOf(env);
  return { ...setting, folder: join(state, "attach"), socket, http: { url: setting.url, token: readAttachKey(state)?.token ?? "" } };
}

function placesOf(env: NodeJS.ProcessEnv) {
  const state = stateFolder(env);
  const hub = readHubFile(state);
  return {
    state,
    socket: join(runtimeFolder(env), "http.sock"),
    url: hub.state === "running" ? hub.file.url : USUAL_URL,
    cwd: resolve("."),
  };
}
