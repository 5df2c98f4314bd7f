import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type NatsProcess, startNats } from "../../packages/fleet/src/dev/nats-process.ts";
import { getNatsServer } from "../../scripts/nats-server.ts";
import { removeFolder } from "./remove-folder.ts";

/** The server for a test file. Where there is none, the reason is printed and `isMissing` skips the tests: `describe.skipIf(nats.isMissing)`. */
export function natsForTests(): { readonly isMissing: boolean; readonly program: string } {
  const server = getNatsServer();
  if ("program" in server) return { isMissing: false, program: server.program };
  console.warn(`The tests of the fleet are skipped: ${server.missing}.`);
  return { isMissing: true, program: "" };
}

export interface TestServer extends NatsProcess {
  /** Holds the storage in `jetstream`. */
  readonly folder: string;
  /** Ends the server and removes its folder. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly program: string;
  /** The configuration, without the port and JetStream's folder. Default: no accounts. */
  readonly config?: (server: { readonly port: number; readonly folder: string }) => string;
  /** To start a server again on what it had. */
  readonly again?: Pick<TestServer, "port" | "folder">;
}

/** Starts a server on loopback with a folder of its own. Without `config` it lets everyone in. */
export async function startTestServer({ program, config, again }: TestServerOptions): Promise<TestServer> {
  const folder = again?.folder ?? mkdtempSync(join(tmpdir(), "hl-nats-"));
  const port = again?.port ?? (await freePort());
  const text =
    config?.({ port, folder }) ?? `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(join(folder, "jetstream"))} }\n`;
  const server = await startNats({ program, folder, config: text, port });
  return {
    ...server,
    folder,
    async close() {
      await server.stop();
      removeFolder(folder);
    },
  };
}
