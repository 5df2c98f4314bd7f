import { rmSync } from "node:fs";
import { join } from "node:path";
import { type HubFile, openFolder } from "@hookline/core/internal/machine";
import { configPath } from "../config/config-path.js";
import type { HttpServer } from "./http-server.js";
import { announceHub } from "./lifecycle/announcement.js";
import { assembleHub } from "./lifecycle/assemble-hub.js";
import { type HubOptions, openFolders, takeHubLocks } from "./lifecycle/hub-options.js";
import { clearSocket, listenOnPort } from "./lifecycle/listen-on-port.js";
import { checkManaged, OWN_SOCKET, SHARED_SOCKET } from "./lifecycle/managed-hub.js";
import { readConfig } from "./lifecycle/read-config.js";
import { type TakenOver, takeOver } from "./lifecycle/take-over.js";
import { Undo } from "./lifecycle/undo.js";
import type { HubParts, StartedWith } from "./parts.js";

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
  const permissions = managed === undefined ? OWN_SOCKET : SHARED_SOCKET;
  const [line, http] = ["line.sock", "http.sock"].map((name) => join(folders.runtime, name)) as [string, string];
  const asked = { ...config.hub, ...options };
  const taken =
    options.takeOver === true
      ? await takeOver({ folders, paths: { http, line }, mode: permissions, host: asked.host, port: asked.port })
      : undefined;
  if (taken !== undefined) undo.add(() => taken.close());
  const locks = takeHubLocks(folders);
  undo.add(() => locks.release());
  const notes: string[] = [];
  const servers = await assembleHub({
    config,
    problems,
    path: options.config ?? configPath(),
    folders,
    ...(options.mode !== undefined && { mode: options.mode }),
    ...(options.remoteApprovals !== undefined && { remoteApprovals: options.remoteApprovals }),
    managed,
    tokens: taken?.tokens,
    startedWith: startedWith(options),
    isTied: options.isTied === true,
    onProgress: options.onProgress,
    onProblem,
    undo,
  });
  const { parts } = servers;

  let isLeft = (): boolean => false;
  for (const path of [line, http]) {
    if (taken === undefined) await clearSocket(path);
    undo.add(() => isLeft() || rmSync(path, { force: true }));
  }
  await servers.http.listenSocket(http, permissions, taken?.http);
  const listening = await listenOnPort(withHeld(servers.http, taken), { ...servers.address, ...options, ...portOf(taken) }, notes);
  const { url } = listening;
  notes.push(...servers.useAddress(listening));
  await servers.line.listen(line, permissions, taken?.line);

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
  isLeft = () => announcement.isTaken;
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
  const stop = options.onStopRequest ?? (() => void close());
  servers.onStop(stop);
  servers.onHandOver(() =>
    announcement.offer(() => {
      servers.http.letFinish(HAND_OVER_GRACE_MS);
      // What had connected to this hub before the next one was in its place is accepted first. Processes are served meanwhile.
      setTimeout(() => void servers.http.close("replaced").finally(stop), BACKLOG_MS);
    }),
  );
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

/** Calls that this hub has begun are finished by it. Hooks have 5 s unless they are told otherwise. */
const HAND_OVER_GRACE_MS = 10_000;
const BACKLOG_MS = 50;

/** With what the next hub is to be started, too. */
function startedWith({ port, host, data, config, remoteApprovals }: HubOptions): StartedWith {
  return {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(data !== undefined && { data }),
    ...(config !== undefined && { config }),
    ...(remoteApprovals !== undefined && { remoteApprovals }),
  };
}

function portOf(taken: TakenOver | undefined): { readonly port?: number } {
  return taken?.tcp === undefined ? {} : { port: taken.tcp.port };
}

/** On the port of the old hub, callers wait already. */
function withHeld({ listenTcp }: HttpServer, taken: TakenOver | undefined): Pick<HttpServer, "listenTcp"> {
  return {
    listenTcp: (host, port) => listenTcp(host, port, host === taken?.tcp?.host && port === taken.tcp.port ? taken.tcp.held : undefined),
  };
}
