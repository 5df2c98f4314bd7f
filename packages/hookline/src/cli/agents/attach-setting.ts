import { join, resolve } from "node:path";
import { MANAGED_CLIENTS, type Managed, readHubFile, readManaged, runtimeFolder, stateFolder } from "@hookline/core/internal/machine";
import { attachFolder, openAttachKey, readAttachKey } from "../../agents/client/attach-key.js";
import type { AttachKey } from "../../agents/client/key-file.js";
import { CliError } from "../cli-error.js";

/** Where attached agents find the hub, now or when it comes up. */
export interface AttachSetting {
  readonly state: string;
  /** The record of what is attached, and the clients. */
  readonly folder: string;
  readonly socket: string;
  /** The address of the running hub. */
  readonly url?: string;
  /** Missing until an agent is attached. */
  readonly key?: AttachKey;
  /** The managed hub of this machine. */
  readonly managed?: Managed;
  readonly cwd: string;
}

/** For attaching: creates the folder and the key if they are missing. Throws on a machine with a managed hub, because a user has no other. */
export function attachSetting(env: NodeJS.ProcessEnv, command: "attach" | "detach" | "run"): AttachSetting & { readonly key: AttachKey } {
  if (command !== "detach" && readManaged() !== undefined)
    throw new CliError("The hub of this machine is managed, and root attaches agents to it, for all users.", {
      fix: { run: "sudo hookline attach --managed <agent>" },
    });
  const places = ownPlaces(env);
  const { state, socket } = places;
  // Not the socket of an existing key: this shell may have another runtime folder than the hub.
  return { ...places, folder: attachFolder(state), key: readAttachKey(state) ?? openAttachKey(state, socket) };
}

/** For `--managed`. Throws if this machine has no managed hub. */
export function managedSetting(): AttachSetting & { readonly managed: Managed } {
  const managed = readManaged();
  if (managed !== undefined) return placesOf(managed);
  throw new CliError("This machine has no managed hub.", { fix: { run: "sudo hookline service install --system" } });
}

/** For reading: changes nothing. */
export function readAttachSetting(env: NodeJS.ProcessEnv): AttachSetting {
  const managed = readManaged();
  if (managed !== undefined) return placesOf(managed);
  const places = ownPlaces(env);
  const key = readAttachKey(places.state);
  return { ...places, folder: join(places.state, "attach"), ...(key !== undefined && { key }) };
}

function ownPlaces(env: NodeJS.ProcessEnv) {
  const state = stateFolder(env);
  return { state, socket: join(runtimeFolder(env), "http.sock"), ...commonPlaces(state) };
}

function placesOf(managed: Managed) {
  const { run } = managed;
  return { state: run, folder: MANAGED_CLIENTS, socket: join(run, "http.sock"), managed, ...commonPlaces(run) };
}

function commonPlaces(folder: string) {
  const hub = readHubFile(folder);
  return { ...(hub.state === "found" && { url: hub.file.url }), cwd: resolve(".") };
}
