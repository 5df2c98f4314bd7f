import type { Socket } from "node:net";
import { Refused } from "../http/refused.js";
import type { Scope } from "../parts.js";

interface Caller {
  readonly socket: Pick<Socket, "localAddress">;
  /** The hub was started with `--remote-approvals`. */
  readonly isAllowed: boolean;
}

const FIX = "Do it on the hub's machine, or start the hub with --remote-approvals. The connection is not encrypted.";

/** The scopes that count for this caller. Keys can be read on the network, so a remote caller cannot approve unless the operator allowed it. */
export function scopesFrom(scopes: ReadonlySet<Scope>, { socket, isAllowed }: Caller): ReadonlySet<Scope> {
  return isAllowed || !isRemote(socket) ? scopes : new Set([...scopes].filter((scope) => scope !== "approve"));
}

/** Throws 403 if the scope is `approve` and the request came over the network. */
export function checkPlace(scope: Scope, { socket, isAllowed }: Caller): void {
  if (scope === "approve" && !isAllowed && isRemote(socket)) throw approvalsAreOff();
}

export function approvalsAreOff(): Refused {
  return new Refused(403, "HL_SCOPE", "Approvals are off at addresses other than this machine's own.", { fix: FIX });
}

/** Judged by the address that was called. A Unix socket has no address. */
function isRemote({ localAddress }: Caller["socket"]): boolean {
  return localAddress !== undefined && !isLoopback(localAddress);
}

/** Includes IPv4 addresses in IPv6 form, and `*.localhost`, which browsers resolve to this machine themselves. */
export function isLoopback(host: string): boolean {
  return /^(::ffff:)?127\.|^(::1|\[::1\]|([\w-]+\.)?localhost)$/i.test(host);
}
