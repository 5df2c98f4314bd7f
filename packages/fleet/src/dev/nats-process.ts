import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HookError } from "@hookline/core/internal/machine";

const START_MS = 20_000;
const STOP_MS = 10_000;
const POLL_MS = 20;
const MAX_LOG = 4000;

/** A NATS server that this process has started. */
export interface NatsProcess {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** What it has logged last. */
  log(): string;
  /** Makes it read its configuration again. */
  reload(config: string): void;
  /** Ends it and waits until it is gone. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export interface NatsProcessOptions {
  /** The path of nats-server. */
  readonly program: string;
  /** For its configuration. */
  readonly folder: string;
  /** The text of its configuration, with this port. Default: `nats-server.conf` in the folder is there already. */
  readonly config?: string;
  readonly port: number;
}

/** Starts a NATS server and waits until it answers. */
export async function startNats({ program, folder, config, port }: NatsProcessOptions): Promise<NatsProcess> {
  const path = join(folder, "nats-server.conf");
  const write = (text: string): void => writeFileSync(path, text, { mode: 0o600 });
  if (config !== undefined) write(config);
  const child = spawn(program, ["--config", path], {
    stdio: ["ignore", "ignore", "pipe"],
    // Ctrl-C is for the program that started it, which stops it in its turn.
    detached: true,
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-MAX_LOG);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", (error) => {
      log += String(error);
      resolve();
    });
  });
  await waitForServer(child, port, () => log);
  return {
    pid: child.pid ?? 0,
    port,
    url: `nats://127.0.0.1:${port}`,
    log: () => log,
    reload(text) {
      write(text);
      child.kill("SIGHUP");
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      // A stopped process takes a signal only when it continues.
      child.kill("SIGCONT");
      const hard = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(hard);
    },
  };
}

async function waitForServer(child: ChildProcess, port: number, log: () => string): Promise<void> {
  for (const end = Date.now() + START_MS; ; await sleep(POLL_MS)) {
    const isGone = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (!isGone && (await greets(port))) return;
    if (!isGone && Date.now() < end) continue;
    child.kill("SIGKILL");
    throw new HookError("HL_FLEET_SERVER", `nats-server did not start on port ${port}: ${log().trim() || "it printed nothing"}`);
  }
}

/** Whether a NATS server listens there: it speaks first. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(1000, () => end(false));
    socket.once("data", (bytes) => end(bytes.toString("latin1").startsWith("INFO ")));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}

/** A port on loopback that no process uses now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
