import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { decodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { serve } from "../serve.ts";

// What people write without the hub: a Unix server that reads lines of JSON.
let store: Store | undefined;

/** Calls back for each line; what it resolves with is the answer. */
function listen(path: string, answer: (line: string, socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        answer(text.slice(0, end), socket);
        text = text.slice(end + 1);
      }
    });
  });
  return new Promise((resolve) => server.listen(path, resolve));
}

const methods = {
  echo: (path: string) => listen(path, (line, socket) => void socket.write(`${JSON.stringify(JSON.parse(line))}\n`)),
  /** Stores the way the hub does, and answers when it is on disk. */
  async keep(path: string, folder: string): Promise<void> {
    store = await openStore(join(folder, "plain.db"), { ballastBytes: 0 });
    await listen(path, (body, socket) => {
      void store?.append([{ envelope: decodeEnvelope(body), body }]).then(() => socket.write("ok\n"));
    });
  },
  unindexed: async () => (await store?.stats())?.unindexed ?? 0,
};
export type PlainServerMethods = typeof methods;
serve(methods);
