import { connect, type Socket } from "node:net";

export type Where = { readonly host: string; readonly port: number } | { readonly path: string };

/** A connection that does only what it is told. */
export function dial(where: Where): Socket {
  const socket = connect(where as never);
  socket.on("error", () => {});
  return socket;
}

/** Sends bytes as they are; gives all that came back when the other side hung up, or at last. */
export function exchange(where: Where, bytes: readonly (string | Uint8Array)[], { timeoutMs = 15_000, end = false } = {}): Promise<string> {
  const socket = dial(where);
  let answer = "";
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer);
    });
    for (const part of bytes) socket.write(part);
    if (end) socket.end();
  });
}

/** Every status line in what came back. */
export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
