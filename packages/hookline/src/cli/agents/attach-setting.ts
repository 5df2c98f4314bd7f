import { join, resolve } from "node:path";
import { readHubFile, runtimeFolder, stateFolder } from "@hookline/core/discover";
import { attachFolder, openAttachKey } from "../../agents/client/attach-key.js";

/** Where attached agents find the hub, now or when it comes up. */
export interface AttachSetting {
  readonly folder: string;
  readonly socket: string;
  readonly http: { readonly url: string; readonly token: string };
  readonly cwd: string;
}

const USUAL_URL = "http://127.0.0.1:4665";

export function attachSetting(env: NodeJS.ProcessEnv): AttachSetting {
  const state = stateFolder(env);
  const socket = join(runtimeFolder(env), "http.sock");
  const { token } = openAttachKey(state, socket);
  const hub = readHubFile(state);
  const url = hub.state === "running" ? hub.file.url : USUAL_URL;
  return { folder: attachFolder(state), socket, http: { url, token }, cwd: resolve(".") };
}
