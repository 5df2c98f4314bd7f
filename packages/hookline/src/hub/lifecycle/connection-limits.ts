import { descriptorLimit } from "../../machine/descriptor-limit.js";

/** How many connections may be open on each of the hub's sockets. */
export interface ConnectionLimits {
  readonly line: number;
  readonly http: number;
  /** On each address that it listens on over TCP, of which there are at most three. */
  readonly tcp: number;
}

/** A larger number helps no client. */
const MOST = 4_096;
/** For the store, its threads, hooks, sinks and whatever else the hub opens; at least this many, and a quarter of a larger limit. */
const LEAST_RESERVE = 256;
const RESERVE = 1 / 4;
/** However few there are, each socket gets some. */
const LEAST = 8;
/** A system that does not tell its limit has at least this. */
const UNKNOWN_LIMIT = 1_024;
/** Of what is left. Any user of the machine reaches TCP, so it gets the least. */
const SHARES = { line: 7 / 16, http: 6 / 16, tcp: 1 / 16 };

/**
 * Shares of the limit of descriptors: connections run into theirs before the hub has none left to read a file, start a hook or accept an
 * agent's question.
 */
export function connectionLimits(limit: number = descriptorLimit() ?? UNKNOWN_LIMIT): ConnectionLimits {
  const free = limit === Number.POSITIVE_INFINITY ? limit : limit - Math.max(LEAST_RESERVE, limit * RESERVE);
  const share = (part: number): number => Math.max(LEAST, Math.min(MOST, Math.floor(free * part)));
  return { line: share(SHARES.line), http: share(SHARES.http), tcp: share(SHARES.tcp) };
}
