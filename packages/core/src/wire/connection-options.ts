import { isIP } from "node:net";
import { HookError } from "../catalog/errors.js";
import type { Backoff } from "./backoff.js";
import { checkSocketPath, readSocketPath } from "./socket-path.js";
import { type ConnectionTimers, systemTimers } from "./timers.js";

/** A Unix socket or named pipe, or a port on this machine by its literal address. */
export type SocketAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** Limits and time limits of a socket. */
export interface ConnectionTuning {
  /** The longest line, either way. Default 4 MiB. */
  readonly maxFrameBytes?: number;
  /** What may wait to be written; more is answered with `retry`. Default 16 MiB. */
  readonly maxPendingBytes?: number;
  /** A peer that takes nothing for that long has lost its connection. Default 5000. */
  readonly stallTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly backoff?: Backoff;
  readonly timers?: ConnectionTimers;
  readonly random?: () => number;
}

export interface ConnectionOptions extends ConnectionTuning {
  readonly address: SocketAddress;
}

export interface ConnectionSettings extends Required<ConnectionTuning> {
  readonly address: SocketAddress;
  /** Throws where the address must not be dialled now. */
  check(): void;
}

const MAX_FRAME_BYTES = 4 * 1024 * 1024;

export function readConnectionOptions(options: ConnectionOptions): ConnectionSettings {
  const address = readAddress(options.address);
  const { backoff = {}, timers = systemTimers, random = Math.random } = options;
  return {
    address,
    maxFrameBytes: readAmount("maxFrameBytes", options.maxFrameBytes ?? MAX_FRAME_BYTES),
    maxPendingBytes: readAmount("maxPendingBytes", options.maxPendingBytes ?? 4 * MAX_FRAME_BYTES),
    stallTimeoutMs: readAmount("stallTimeoutMs", options.stallTimeoutMs ?? 5000),
    connectTimeoutMs: readAmount("connectTimeoutMs", options.connectTimeoutMs ?? 5000),
    backoff: {
      baseMs: readAmount("backoff.baseMs", backoff.baseMs ?? 50),
      maxMs: readAmount("backoff.maxMs", backoff.maxMs ?? 2000),
    },
    timers,
    random,
    check: "path" in address ? () => checkSocketPath(address.path) : () => {},
  };
}

/** A number of bytes or milliseconds. Throws `HL_BAD_OPTION`. */
export function readAmount(name: string, value: unknown): number {
  // Node runs a timer of more than 2^31 - 1 ms at once.
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31) return value as number;
  throw new HookError("HL_BAD_OPTION", `A socket's "${name}" must be a whole number above 0 and below 2^31, not ${String(value)}.`);
}

/** The address in words. */
export function describeAddress(address: SocketAddress): string {
  return "path" in address ? address.path : `${address.host}:${address.port}`;
}

function readAddress(address: SocketAddress): SocketAddress {
  if ("path" in address) return { path: readSocketPath(address.path) };
  const { host, port } = address;
  // A name could be made to mean another machine.
  const isLoopback = (isIP(host) === 4 && host.startsWith("127.")) || host === "::1";
  if (!isLoopback) throw new HookError("HL_BAD_OPTION", 'A socket\'s "host" must be a literal loopback address such as 127.0.0.1.');
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new HookError("HL_BAD_OPTION", `A socket's "port" must be 1 to 65535, not ${String(port)}.`);
  return { host, port };
}
