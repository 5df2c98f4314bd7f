import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorText } from "@hookline/core";
import { watchSignature, withFix } from "@hookline/core/internal/machine";
import { createSecondLook } from "../machine/second-look.js";
import type { LoadedConfig } from "./config.js";
import { parseConfig } from "./load-config.js";
import { readConfigFile } from "./read-config-file.js";

export interface ConfigWatch {
  /** Checks now, and resolves when a change has been reported. */
  check(): Promise<void>;
  close(): void;
}

export interface WatchOptions {
  readonly onChange: (loaded: LoadedConfig) => void;
  /** The file cannot be read or was removed: its last content stays in effect. */
  readonly onFault: (fault: string) => void;
  /** How long a file must be unchanged before it is read, and the longest wait for that. */
  readonly settleMs?: number;
  readonly patienceMs?: number;
  readonly pollMs?: number;
}

/**
 * Reports when the content of `hookline.toml` changes. A burst of writes is reported once, or a few times. A file that cannot be read is
 * read again until it can. Never keeps the process alive.
 */
export function watchConfig(path: string, options: WatchOptions): ConfigWatch {
  const { onChange, onFault, settleMs = 80, patienceMs = 600, pollMs = 400 } = options;
  const before = signatureOf(path);
  let seen = textOf(path);
  let running = Promise.resolve();
  let isClosed = false;

  async function look(): Promise<void> {
    if (isClosed) return;
    const signature = signatureOf(path);
    const text = textOf(path);
    // Another program wrote in the meantime: the watcher will report it.
    if (signatureOf(path) !== signature) return;
    secondLook.after(text.content !== undefined || signature === "");
    if (text.content === seen.content && text.fault === seen.fault) return;
    seen = text;
    if (text.content === undefined) return onFault(text.fault);
    const loaded = await parseConfig(text.content, path);
    if (!isClosed) onChange(loaded);
  }
  function check(): Promise<void> {
    // In sequence, so that an older version never follows a newer one.
    running = running.then(look).catch((error: unknown) => onFault(errorText(error)));
    return running;
  }

  const secondLook = createSecondLook(() => void check());
  const files = { folder: dirname(path), names: [basename(path)] };
  const signature = () => signatureOf(path);
  const watch = watchSignature({ signature, before, onChange: () => void check(), files, pollMs, settleMs, patienceMs });
  return {
    check,
    close() {
      isClosed = true;
      watch.close();
      secondLook.close();
    },
  };
}

interface Seen {
  readonly content: string | undefined;
  readonly fault: string;
}

function textOf(path: string): Seen {
  const read = readConfigFile(path);
  if (read === undefined) return { content: undefined, fault: "The file does not exist any more." };
  return "fault" in read ? { content: undefined, fault: withFix(read.fault, read.fix) } : { content: read.text, fault: "" };
}

function signatureOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino}-${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}`;
}
