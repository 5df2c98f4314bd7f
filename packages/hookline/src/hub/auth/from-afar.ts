import type { Socket } from "node:net";
import { Refused } from "../http/refused.js";
import type { Scope } from "../parts.js";

/** Who asks from where: `isAllowed` when whoever started the hub wants approvals also over the network. */
interface Place {
  readonly socket: Pick<Socket, "localAddress">;
  readonly isAllowed: boolean;
}

const FIX = "Do it on the hub's machine, or start the hub with --remote-approvals. Nothing on the way is encrypted.";

/** What may be done from there: over the network, where keys can be read on the way, nothing is approved unless that was asked for. */
export function scopesFrom(scopes: ReadonlySet<Scope>, { socket, isAllowed }: Place): ReadonlySet<Scope> {
  return isAllowed || !isFromAfar(socket) ? scopes : new Set([...scopes].filter((scope) => scope !== "approve"));
}

/** Throws 403 for what needs `approve` and comes over the network. */
export function checkPlace(scope: Scope, { socket, isAllowed }: Place): void {
  if (scope === "approve" && !isAllowed && isFromAfar(socket)) throw approvalsAreOff();
}

export function approvalsAreOff(): Refused {
  return new Refused(403, "HL_SCOPE", "Approvals are off at addresses other than this machine's own.", { fix: FIX });
}

/** By the address that was called: a Unix socket has none. */
function isFromAfar({ localAddress }: Place["socket"]): boolean {
  return localAddress !== undefined && !isLoopback(localAddress);
}

/** Also as IPv6 writes it, and every name that browsers lead here without asking anybody. */
export function isLoopback(host: string): boolean {
  return /^(::ffff:)?127\.|^(::1|\[::1\]|([\w-]+\.)?localhost)$/i.test(host);
}
