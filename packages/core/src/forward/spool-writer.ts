import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { openLivenessSocket } from "../wire/liveness-socket.js";
import { openSpool } from "./spool-folder.js";

export interface SpoolWriterOptions {
  readonly folder: string;
  readonly instance: string;
  readonly report: (error: HookError) => void;
}

/** Of this process, so that the files of one instance sort as they were begun. */
let files = 0;

/** A process that writes to a spool. As long as it has files that are not sealed, a socket beside them shows that it lives. */
export class SpoolWriter {
  readonly id = `${thisKernel()}-${randomBytes(6).toString("hex")}`;
  readonly folder: string;
  readonly #options: SpoolWriterOptions;
  #socket: { close(): void } | undefined;

  constructor(options: SpoolWriterOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  /** Begins a file. Its name, `<instance>.<n>.<writer>`, is its own. Throws what the disk says, or `HL_STATE_FOLDER`. */
  begin<T>(open: (spool: string, name: string) => T): T {
    const spool = openSpool(this.folder);
    // Before the file: a hub that finds it must find its writer alive.
    this.#socket ??= this.#listen(spool);
    return open(spool, `${this.#options.instance}.${++files}.${this.id}`);
  }

  /** All files are sealed or gone. */
  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    try {
      socket?.close();
    } catch {
      // The hub removes what is left of it.
    }
  }

  /** Without a socket nothing is lost: the hub reads the files, and leaves them where they are. */
  #listen(spool: string): { close(): void } | undefined {
    try {
      return openLivenessSocket(spool, socketOf(this.id));
    } catch (cause) {
      const why = `this process cannot listen on a socket in "${spool}": ${messageOf(cause)}`;
      const what = "If it is killed, its files stay in the spool after the hub has read them";
      this.#options.report(new HookError("HL_SPOOL_FAILED", `${what}, because ${why}.`, { cause }));
      return undefined;
    }
  }
}

export function socketOf(writer: string): string {
  return `${writer}.sock`;
}

/**
 * Names the running kernel, the same in all its containers. The kernel of another machine, or of the virtual machine of a container, cannot
 * say whether a process of this one lives.
 */
export function thisKernel(): string {
  kernel ??= readKernel();
  return kernel;
}

export const UNKNOWN_KERNEL = "unknown";
let kernel: string | undefined;

function readKernel(): string {
  if (process.platform !== "linux") return process.platform;
  try {
    return createHash("sha256").update(readFileSync("/proc/sys/kernel/random/boot_id")).digest("hex").slice(0, 12);
  } catch {
    return UNKNOWN_KERNEL;
  }
}
