import type { McpTools, Terminal } from "hookline/internal/mcp";
import { Gateway } from "../gateway/gateway.js";
import { openServer } from "../gateway/open-server.js";
import type { Channel } from "../protocol/channel.js";
import { LineChannel } from "../protocol/line-channel.js";
import type { ServerIdentity } from "../state/server-record.js";

/** Serves one client over stdin and stdout, until it is gone or a signal comes. */
export async function runGateway(
  { format, EXIT }: McpTools,
  { env, say }: Terminal,
  { identity, connect }: { readonly identity: ServerIdentity; readonly connect: () => Channel },
): Promise<number> {
  const server = openServer({ identity, env, diff: format.unifiedDiff, say: (text) => say(`hookline mcp: ${text}`) });
  const client = new LineChannel(process.stdin, process.stdout);
  const gateway = new Gateway({ server: identity.name, client, connect, ...server });
  const ended = nextSignal();
  await gateway.start();
  await Promise.race([gateway.done, ended]);
  await gateway.stop();
  await server.line.close();
  return EXIT.ok;
}

/** Resolves at the first signal that ends a process. */
function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
