import { setTimeout as sleep } from "node:timers/promises";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import { AuthorizationError, connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { isNewEnough, minVersion } from "./server-version.js";

const TIMEOUT_MS = 5000;
const FIRST_DELAY_MS = 250;
/**
 * All hosts of a fleet lose a server at the same moment. After a loss, a pause is at most half as long as the server has been away, and at most
 * so long that about a hundred hosts a second come back.
 */
const DELAY_MS = { perHost: 10, least: 1000, most: 60_000 };
const PING_MS = 15_000;

/** Where the server is, and with which credential to connect. */
export interface ServerAccess {
  readonly urls: readonly string[];
  /** The nkey seed. */
  readonly seed: string;
  readonly inboxPrefix: string;
  /** Certificates that the server's must come from, as PEM; the system's unless given. Their presence requires TLS. */
  readonly ca?: string | undefined;
}

export interface ConnectOptions {
  /** What the server's lists call this connection. */
  readonly name: string;
  /** Keeps trying, with a growing random pause, until it is closed: also the first time, and after the server refused the credential. */
  readonly forever?: boolean;
  /** Ends the attempts to connect for the first time. */
  readonly signal?: AbortSignal;
  /** How many connect like this one. Default 1. */
  readonly fleetSize?: () => number;
  /** Told of each lost connection and each refusal. */
  readonly onProblem?: (text: string) => void;
}

/**
 * Connects to the server of a fleet. Throws `HL_FLEET_SERVER` for one that cannot be reached, `HL_FLEET_CREDENTIALS` if it refuses the credential,
 * and `HL_FLEET_VERSION` for one that is too old or has no JetStream.
 */
export async function connectServer(access: ServerAccess, options: ConnectOptions): Promise<NatsConnection> {
  const connection = await (options.forever === true ? dialUntilUp(access, options) : dial(access, options));
  const fault = serverFault(connection);
  if (fault === undefined) return connection;
  await connection.close();
  throw fault;
}

/** The client library can wait for the first connection, too, but not give up. */
async function dialUntilUp(access: ServerAccess, options: ConnectOptions): Promise<NatsConnection> {
  const isStopped = (): boolean => options.signal?.aborted === true;
  for (let failures = 0; ; failures++) {
    try {
      return await dial(access, options);
    } catch (error) {
      if (failures === 0 && !isStopped()) options.onProblem?.(errorText(error));
      const pauses = { baseMs: FIRST_DELAY_MS, maxMs: maxDelayMs(options), jitter: 0.9 };
      if (!isStopped()) await sleep(backoffDelay(failures, pauses), undefined, { ref: false, signal: options.signal }).catch(() => {});
      if (isStopped()) throw error;
    }
  }
}

/** The longest pause between two attempts. */
function maxDelayMs({ fleetSize = () => 1 }: ConnectOptions): number {
  return Math.min(DELAY_MS.most, Math.max(DELAY_MS.least, fleetSize() * DELAY_MS.perHost));
}

async function dial({ urls, seed, inboxPrefix, ca }: ServerAccess, options: ConnectOptions) {
  const { name, forever = false, onProblem } = options;
  // The client asks for the pause more than once before each attempt, and must hear the same.
  let [downAt, pauseMs] = [0, 0];
  const choosePause = (): void => {
    const [awayMs, random] = [performance.now() - downAt, Math.random()];
    pauseMs = Math.min(maxDelayMs(options), Math.max(FIRST_DELAY_MS, awayMs / 2)) * (0.1 + 0.9 * random);
  };
  const down = (): void => {
    downAt = performance.now();
    choosePause();
  };
  try {
    const connection = await connect({
      servers: [...urls],
      name,
      inboxPrefix,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      timeout: TIMEOUT_MS,
      pingInterval: PING_MS,
      maxPingOut: 2,
      reconnect: forever,
      maxReconnectAttempts: forever ? -1 : 0,
      // A credential that was revoked by mistake works again when the roster does.
      ignoreAuthErrorAbort: forever,
      reconnectDelayHandler: () => pauseMs,
      ...((ca !== undefined || urls.some((url) => url.startsWith("tls:"))) && { tls: ca === undefined ? {} : { ca } }),
    });
    void follow(connection, { onTry: choosePause, onDown: down, onProblem });
    return connection;
  } catch (cause) {
    const where = `The NATS server at ${urls.join(", ")}`;
    if (cause instanceof AuthorizationError)
      throw new HookError("HL_FLEET_CREDENTIALS", `${where} refuses this credential.`, {
        fix: "Ask the fleet's admin whether it was revoked, and for a new one: hookline fleet invite <host>",
        cause,
      });
    throw new HookError("HL_FLEET_SERVER", `${where} cannot be reached: ${errorText(cause).replace(/\.$/, "")}.`, {
      fix: { run: "hookline fleet doctor" },
      cause,
    });
  }
}

interface Followed {
  readonly onProblem: ConnectOptions["onProblem"] | undefined;
  readonly onTry: () => void;
  readonly onDown: () => void;
}

async function follow(connection: NatsConnection, { onTry, onDown, onProblem }: Followed): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === "reconnecting") onTry();
    else if (status.type === "disconnect") {
      onDown();
      onProblem?.("The connection to the fleet's server is lost.");
    } else if (status.type === "error") onProblem?.(`The fleet's server refused: ${errorText(status.error)}`);
  }
}

/** Why a fleet cannot use this server. */
function serverFault({ info }: NatsConnection): HookError | undefined {
  const version = info?.version ?? "unknown";
  if (!isNewEnough(version))
    return new HookError("HL_FLEET_VERSION", `The NATS server is version ${version}, which has no atomic batches.`, {
      fix: `Install nats-server ${minVersion} or later.`,
    });
  if (info?.jetstream !== true)
    return new HookError("HL_FLEET_VERSION", "The NATS server runs without JetStream.", {
      fix: "Start it with the nats-server.conf that `hookline fleet init` wrote.",
    });
  return undefined;
}

/** Whether a server is on this machine. */
export function isLoopbackUrl(url: string): boolean {
  return /^(nats|tls):\/\/(127\.[\d.]+|localhost|\[::1\])(:\d+)?$/.test(url);
}
