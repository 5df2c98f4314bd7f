import { randomBytes } from "node:crypto";
import { chmodSync, renameSync } from "node:fs";
import type { Server } from "node:net";
import { dirname, join } from "node:path";

/**
 * Listens on a Unix socket under a name of its own and renames it: whatever was at the path before is replaced in one step, so no connection is
 * refused, and closing the server does not remove the socket of a hub that has taken over. The name is as short as `http.sock`.
 */
export async function bindSocket(server: Server, path: string, mode: number): Promise<void> {
  if (process.platform === "win32") return listening(server, path);
  const own = join(dirname(path), `.${randomBytes(6).toString("base64url")}`);
  await listening(server, own);
  chmodSync(own, mode);
  renameSync(own, path);
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
