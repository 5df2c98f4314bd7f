import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@hookline/core";
import { withFix } from "@hookline/core/internal";
import {
  GATES_FILE,
  HUB_FILE,
  type HubFile,
  readGatesFile,
  readHubFile,
  removeGatesFile,
  removeHubFile,
  writeGatesFile,
  writeHubFile,
} from "@hookline/core/internal/machine";
import { removeOperatorFile, writeOperatorFile } from "../auth/operator-file.js";
import type { Gates } from "../parts.js";

const LOOK_EVERY_MS = 1_000;
/** How long a hub that was told to hand over waits for the next one, and how often it looks. */
const OFFER_MS = 60_000;
const OFFER_LOOK_MS = 10;

export interface AnnouncementOptions {
  /** The state folder. */
  readonly folder: string;
  /** What stands in `hub.json` now. */
  readonly file: () => HubFile;
  readonly operatorToken: () => string;
  readonly gates: Pick<Gates, "list" | "onChange">;
  readonly onProblem: (text: string) => void;
  /** Listens again on the hub's sockets, because their files are gone. */
  readonly listenAgain: (paths: readonly string[]) => Promise<void>;
}

export interface Announcement {
  /** Writes all files again. Throws if it cannot. */
  write(): void;
  /** For a minute, other sockets in the place of the hub's own are those of the next hub. Then `onTaken` is called, and the files stay for it. */
  offer(onTaken: () => void): void;
  /** Whether the next hub has the sockets. */
  readonly isTaken: boolean;
  /** Takes it back: there is no hub any more. */
  close(): void;
}

/**
 * What a hub leaves in its state folder for those who look for it: where it is (`hub.json`), what it guards (`gates.json`) and the
 * operator's token. The gates are written first and removed last, so that no process finds a hub without them; they stay after a kill.
 */
export function announceHub({ folder, file, operatorToken, gates, onProblem, listenAgain }: AnnouncementOptions): Announcement {
  const { instance } = file();
  let timer: NodeJS.Timeout | undefined;
  let lastProblem = "";
  let isListening = false;
  let isTaken = false;
  let offered: NodeJS.Timeout | undefined;
  let sockets = identities();

  function write(): void {
    writeGatesFile(folder, { instance, gates: gates.list() });
    writeOperatorFile(folder, { instance, token: operatorToken() });
    writeHubFile(folder, file());
  }

  function keepGates(): void {
    try {
      if (!areGatesWritten()) writeGatesFile(folder, { instance, gates: gates.list() });
    } catch (error) {
      // Old gates may leave out what is guarded now. Without any, processes that cannot reach the hub close all of them.
      rmSync(join(folder, GATES_FILE), { force: true });
      tell(errorText(error));
    }
  }

  function areGatesWritten(): boolean {
    const found = readGatesFile(folder);
    return found.state === "found" && JSON.stringify(found.file) === JSON.stringify({ instance, gates: gates.list() });
  }

  /** Without these files a new process would not know that it is guarded. */
  function look(): void {
    // A folder that was removed has taken the lock with it: another hub may be there.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined)
      return tell(withFix(`The state folder "${folder}" was removed.`, { run: "hookline up" }));
    keepGates();
    lookAtSockets();
    const found = readHubFile(folder);
    if (found.state === "found" && found.file.instance === instance && found.file.token === file().token) return;
    try {
      writeHubFile(folder, file());
      tell(`"${join(folder, HUB_FILE)}" was removed or changed while the hub ran; it was written again.`);
    } catch (error) {
      tell(errorText(error));
    }
  }

  function identities(): ReadonlyMap<string, string | undefined> {
    return new Map([file().line, file().http].map((path) => [path, identityOf(path)]));
  }

  /**
   * A logout removes the runtime folder. Connected processes notice nothing; for all others the hub is gone, and closed gates deny.
   * A socket that another process has put in the place of the hub's own is no better.
   */
  function lookAtSockets(): void {
    if (process.platform === "win32" || isListening || offered !== undefined) return;
    const gone = [...sockets].filter(([path, own]) => identityOf(path) !== own).map(([path]) => path);
    if (gone.length === 0) return;
    isListening = true;
    const what = `"${gone.join('" and "')}" ${gone.length > 1 ? "were" : "was"} removed or replaced while the hub ran`;
    for (const path of gone) rmSync(path, { recursive: true, force: true });
    listenAgain(gone)
      .then(
        () => onProblem(`${what}; the hub listens there again.`),
        (error: unknown) =>
          tell(withFix(`${what}, and no process can connect: ${errorText(error)}`, { run: "hookline down --force; hookline up --detach" })),
      )
      .finally(() => {
        sockets = new Map([...sockets].map(([path, own]) => [path, gone.includes(path) ? (identityOf(path) ?? "missing") : own]));
        isListening = false;
      });
  }

  function tell(problem: string): void {
    if (problem !== lastProblem) onProblem(problem);
    lastProblem = problem;
  }

  function endOffer(): void {
    clearInterval(offered);
    offered = undefined;
  }

  const stopWatching = gates.onChange(keepGates);
  return {
    get isTaken() {
      return isTaken;
    },
    offer(onTaken) {
      endOffer();
      const end = Date.now() + OFFER_MS;
      offered = setInterval(() => {
        isTaken = [...sockets].every(([path, own]) => ![own, undefined].includes(identityOf(path)));
        if (!isTaken && Date.now() < end) return;
        endOffer();
        if (!isTaken) return;
        clearInterval(timer);
        stopWatching();
        onTaken();
      }, OFFER_LOOK_MS).unref();
    },
    write() {
      write();
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
    },
    close() {
      stopWatching();
      clearInterval(timer);
      endOffer();
      if (isTaken) return;
      removeHubFile(folder, instance);
      removeOperatorFile(folder, instance);
      removeGatesFile(folder, instance);
    },
  };
}

/** Which file a path names: another file under the same name has another identity. */
function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeMs}`;
}
