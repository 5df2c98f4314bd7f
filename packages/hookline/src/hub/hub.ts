import { rmSync } from "node:fs";
import { join } from "node:path";
import { type HubFile, openFolder } from "@hookline/core/internal/machine";
import { configPath } from "../config/config-path.js";
import { announceHub } from "./lifecycle/announcement.js";
import { assembleHub } from "./lifecycle/assemble-hub.js";
import { type HubOptions, lockPaths, openFolders, takeHubLock } from "./lifecycle/hub-options.js";
import { clearSocket, listenOnPort } from "./lifecycle/listen-on-port.js";
import { checkManaged, OWN_SOCKET, SHARED_SOCKET } from "./lifecycle/managed-hub.js";
import { readConfig } from "./lifecycle/read-config.js";
import { Undo } from "./lifecycle/undo.js";
import type { HubParts } from "./parts.js";

/** A running hub. */
export interface Hub {
  /** What stands in `hub.json`. */
  readonly file: HubFile;
  /** @internal */
  readonly parts: HubParts;
  /** Where the events are kept. */
  readonly data: string;
  /** Notes for the person who started it. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** Starts the hub: on disk, on its sockets and in `hub.json` when it resolves. Throws `HL_HUB_RUNNING` when there is one already. */
export async function startHub(options: HubOptions = {}): Promise<Hub> {
  const undo = new Undo();
  try {
    return await start(options, undo);
  } catch (error) {
    await undo.run().catch(() => {});
    throw error;
  }
}

async function start(options: HubOptions, undo: Undo): Promise<Hub> {
  const onProblem = options.onProblem ?? ((text: string) => void process.stderr.write(`hookline: ${text}\n`));
  const { managed } = options;
  if (managed !== undefined) checkManaged(managed);
  const { config, problems } = await readConfig(options.config, onProblem);
  const folders = openFolders({ ...(config.hub.data !== undefined && { data: config.hub.data }), ...options });
  for (const path of lockPaths(folders)) {
    const lock = takeHubLock(path);
    undo.add(() => lock.release());
  }
  const notes: string[] = [];
  const servers = await assembleHub({
    config,
    problems,
    path: options.config ?? configPath(),
    folders,
    ...(options.mode !== undefined && { mode: options.mode }),
    ...(options.remoteApprovals !== undefined && { remoteApprovals: options.remoteApprovals }),
    managed,
    onProblem,
    undo,
  });
  const { parts } = servers;

  const [line, http] = ["line.sock", "http.sock"].map((name) => join(folders.runtime, name)) as [string, string];
  for (const path of [line, http]) {
    await clearSocket(path);
    undo.add(() => rmSync(path, { force: true }));
  }
  const permissions = managed === undefined ? OWN_SOCKET : SHARED_SOCKET;
  await servers.http.listenSocket(http, permissions);
  const listening = await listenOnPort(servers.http, { ...servers.address, ...options }, notes);
  const { url } = listening;
  notes.push(...servers.useAddress(listening));
  await servers.line.listen(line, permissions);

  const file = (): HubFile => ({
    url,
    line,
    http,
    token: parts.tokens.agent,
    pid: process.pid,
    startedAt: parts.startedAt,
    instance: parts.instance,
  });
  const operatorToken = () => parts.tokens.operator;
  const listenAgain = async (paths: readonly string[]): Promise<void> => {
    openFolder(folders.runtime);
    if (paths.includes(http)) await servers.http.listenSocket(http, permissions);
    if (paths.includes(line)) await servers.line.listen(line, permissions);
  };
  const announcement = announceHub({ folder: folders.shared, file, operatorToken, gates: parts.gates, onProblem, listenAgain });
  undo.add(announcement.close);
  announcement.write();
  // Closed before the hub removes its own files.
  undo.add(() => parts.tamper.close());
  parts.tamper.start();
  servers.onRotated(announcement.write);

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= undo.run();
    return closing;
  };
  servers.onStop(options.onStopRequest ?? (() => void close()));
  return {
    get file() {
      return file();
    },
    parts,
    data: folders.data,
    notes,
    close,
  };
}
