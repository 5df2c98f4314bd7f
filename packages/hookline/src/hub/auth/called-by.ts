import type { IncomingMessage } from "node:http";

const names = new WeakMap<IncomingMessage, string>();

/** Keeps by which name a request called the hub, once that was checked. */
export function rememberHost(incoming: IncomingMessage): void {
  names.set(incoming, (incoming.headers.host ?? "").toLowerCase());
}

/** The origin of a page that sends such a request to where it came from. */
export function originOf(incoming: IncomingMessage): string {
  return `http://${names.get(incoming) ?? ""}`;
}
