import { once } from "node:events";
import { renameSync } from "node:fs";
import { createServer } from "node:net";

/** Leaves a socket that refuses connections, as a process that was killed does. */
export async function leaveDeadSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.begun`);
  await once(server, "listening");
  renameSync(`${path}.begun`, path);
  await once(server.close(), "close");
}
