import { join } from "node:path";
import {
  type Liveness,
  probeLiveness,
  readPrivateJson,
  socketOf,
  thisKernel,
  UNKNOWN_KERNEL,
  writePrivateJson,
} from "@hookline/core/internal/machine";

const KERNELS_FILE = "kernels.json";
/** A kernel is another one after each boot. */
const MAX_KERNELS = 64;
const WRITER = /^([\w]{1,20})-[0-9a-f]{12}$/;

/** `attached`: alive, and all it writes comes over the line as well. */
export type WriterState = Liveness | "attached";

export interface SpoolWriters {
  /** Checked again at each call. */
  stateOf(writer: string): Promise<WriterState>;
}

/**
 * Which writers of a spool live. A refused connection proves that a writer is dead only on the kernel that ran it: this one, or one that
 * ran a hub on this folder before and is gone. Beyond a virtual machine, a live writer's socket refuses connections, too.
 */
export function createSpoolWriters(
  { state, spool }: { readonly state: string; readonly spool: string },
  isAttached: (writer: string) => boolean,
): SpoolWriters {
  const kernels = rememberKernel(state);
  kernels.delete(UNKNOWN_KERNEL);
  return {
    async stateOf(writer) {
      if (isAttached(writer)) return "attached";
      const liveness = await probeLiveness(spool, socketOf(writer));
      const [, kernel = ""] = WRITER.exec(writer) ?? [];
      return liveness === "dead" && !kernels.has(kernel) ? "unknown" : liveness;
    },
  };
}

export function writerOfSocket(name: string): string | undefined {
  return name.endsWith(socketOf("")) ? name.slice(0, -socketOf("").length) : undefined;
}

/** The kernels that have run a hub on this folder, this one among them. */
function rememberKernel(state: string): Set<string> {
  const found = readPrivateJson(state, KERNELS_FILE);
  const known = Array.isArray(found) ? found.filter((kernel) => typeof kernel === "string") : [];
  if (known.at(-1) === thisKernel()) return new Set(known);
  const kernels = [...known.filter((kernel) => kernel !== thisKernel()), thisKernel()].slice(-MAX_KERNELS);
  try {
    writePrivateJson(state, KERNELS_FILE, kernels);
  } catch {
    // Then the next kernel does not know this one, and leaves its files where they are.
  }
  return new Set(kernels);
}

export function socketPathOf(spool: string, writer: string): string {
  return join(spool, socketOf(writer));
}
