import { closeSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { MAX_SOCKET_PATH_BYTES } from "./socket-path.js";

/** `unknown`: nothing there, or nothing that can be told. What is not known to be dead must be treated as alive. */
export type Liveness = "alive" | "dead" | "unknown";

const isWindows = process.platform === "win32";
const PROBE_MS = 1_000;

/**
 * Listens on a socket beside a process's files for as long as the process lives, however it ends: the kernel refuses a connection to a dead
 * one, also from another PID namespace, where a process number means nothing. Node has no `flock`. Throws what the system says. Listens
 * when it returns, also on the way out of a process, and never keeps one alive.
 */
export function openLivenessSocket(folder: string, name: string): { close(): void } {
  const server = createServer((socket) => socket.destroy());
  // Told later; whether it listens is known at once.
  server.on("error", () => {});
  const begun = isWindows ? name : `${name}.new`;
  // Not by way of the primary of a cluster, which may outlive this process.
  withShortPath(folder, begun, (path) => server.listen({ path, exclusive: true }));
  server.unref();
  if (!server.listening) throw new Error(`the system refuses a socket named "${name}" there`);
  // Under its name it listens, or its process is dead. And Node removes only the other name: one that ends in a hurry leaves this one.
  try {
    if (!isWindows) renameSync(join(folder, begun), join(folder, name));
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    close() {
      server.close();
      if (!isWindows) rmSync(join(folder, name), { force: true });
    },
  };
}

/** Whether the process that listens there, or did, lives. Never rejects. */
export async function probeLiveness(folder: string, name: string): Promise<Liveness> {
  try {
    // The system refuses connections to anything that is not a socket, too.
    if (!isWindows && lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSocket() !== true) return "unknown";
    return await withShortPath(folder, name, probe);
  } catch {
    return "unknown";
  }
}

function probe(path: string): Promise<Liveness> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (liveness: Liveness): void => {
      socket.destroy();
      resolve(liveness);
    };
    socket.on("error", ({ code }: NodeJS.ErrnoException) => end(livenessOf(code)));
    socket.once("connect", () => end("alive"));
    socket.setTimeout(PROBE_MS, () => end("unknown"));
  });
}

/** EAGAIN is a process that stands still, and whose queue of connections is full. A pipe of Windows goes with its process. */
function livenessOf(code: string | undefined): Liveness {
  if (code === "ECONNREFUSED" || (isWindows && code === "ENOENT")) return "dead";
  return code === "EAGAIN" ? "alive" : "unknown";
}

/** A path that fits into a socket's address, however deep the folder is. */
function withShortPath<T>(folder: string, name: string, use: (path: string) => T): T {
  if (isWindows) return use(`\\\\.\\pipe\\hookline-${name}`);
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES || process.platform !== "linux") return use(path);
  const fd = openSync(folder, "r");
  try {
    // The call is made before this returns, by bind or by connect.
    return use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}
