import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isIPv4, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { peerReader, readProcess, ticksNow, userOf } from "./processes.js";
import { isLoopback } from "./remote-approvals.js";

/**
 * The other end of a connection, as the operating system knows it. `processes`: usually one; several if a socket was inherited. `foreign`: of
 * another user, whose processes the hub may not look at. `remote`: on another machine. `unknown`: the process has exited, or cannot be found.
 */
export type Peer =
  | { readonly kind: "local"; readonly user: number; readonly processes: readonly number[] }
  | { readonly kind: "foreign"; readonly user: number }
  | { readonly kind: "remote"; readonly address: string }
  | { readonly kind: "unknown"; readonly reason: string; readonly user?: number; readonly pid?: number };

const acceptedAt = new WeakMap<Socket, number>();
const peers = new WeakMap<Socket, Promise<Peer>>();

/** Called when a connection is accepted: a process that started later is not its other end. */
export function noteConnection(socket: Socket): void {
  acceptedAt.set(socket, performance.now());
}

/** Looks the peer up once for each connection. Only on Linux. */
export function peerOf(socket: Socket): Promise<Peer> {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = lookUp(socket).catch((error: Error): Peer => unknown(error.message));
    peers.set(socket, peer);
  }
  return peer;
}

async function lookUp(socket: Socket): Promise<Peer> {
  const ticksSince = Math.floor((performance.now() - (acceptedAt.get(socket) ?? performance.now())) / 10);
  const peer = socket.remoteAddress === undefined ? await peerOfUnixSocket(socket) : await peerOfTcp(socket);
  if (peer.kind !== "local") return peer;
  const latestStart = ticksNow() - ticksSince + 1;
  const running = peer.processes.filter((pid) => (readProcess(pid)?.startedAt ?? Number.POSITIVE_INFINITY) <= latestStart);
  if (running.length === peer.processes.length && running.length > 0) return peer;
  const [pid] = peer.processes;
  return { ...unknown("the process that connected has exited"), user: peer.user, ...(pid !== undefined && { pid }) };
}

function unknown(reason: string): Extract<Peer, { readonly kind: "unknown" }> {
  return { kind: "unknown", reason };
}

const READ_MS = 5_000;

async function peerOfUnixSocket(socket: Socket): Promise<Peer> {
  const reader = peerReader();
  if (reader === undefined)
    return unknown("neither Perl nor Python is installed, which the hub needs to read who is connected to its socket");
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  if (handle?.fd === undefined || handle.fd < 0) return unknown("the connection has ended");
  const [, pid = "0", user = ""] = /^(\d+) (\d+) \d+\s*$/.exec(await outputOf(reader, handle.fd)) ?? [];
  // A process in a container that the hub cannot see has no number here.
  if (pid === "0") return unknown("the operating system does not name the process");
  return { kind: "local", user: Number(user), processes: [Number(pid)] };
}

function outputOf({ program, args }: NonNullable<ReturnType<typeof peerReader>>, fd: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore", fd], env: {}, cwd: "/", timeout: READ_MS });
    let text = "";
    child.stdout?.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
    });
    child.on("error", reject).on("close", () => resolve(text));
  });
}

async function peerOfTcp({ remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 }: Socket): Promise<Peer> {
  const own = `${hexOf(remoteAddress)}:${remotePort}`;
  const other = `${hexOf(localAddress)}:${localPort}`;
  const found = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap(readTable).find(({ local, remote }) => local === own && remote === other);
  if (found === undefined || found.inode === "0")
    return isOwnAddress(remoteAddress)
      ? unknown("the process that connected has closed the connection")
      : { kind: "remote", address: remoteAddress };
  const processes = await holdersOf(`socket:[${found.inode}]`, found.user);
  if (processes.length > 0) return { kind: "local", user: found.user, processes };
  return found.user === process.getuid?.() ? unknown("no process holds the connection") : { kind: "foreign", user: found.user };
}

interface TcpRow {
  readonly local: string;
  readonly remote: string;
  readonly user: number;
  readonly inode: string;
}

function readTable(path: string): TcpRow[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "latin1")
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", remote = "", , , , , user, , inode = "0"] = line.trim().split(/\s+/);
      return local === "" ? [] : [{ local: place(local), remote: place(remote), user: Number(user), inode }];
    });
}

/** `0100007F:1F90` and its form in the table of IPv6, as `<32 hex digits>:<port>`. */
function place(text: string): string {
  const [address = "", port = ""] = text.split(":");
  const bytes = (address.match(/.{8}/g) ?? []).map((word) => (word.match(/../g) ?? []).reverse().join("")).join("");
  return `${(bytes.length === 8 ? MAPPED + bytes : bytes).toLowerCase()}:${Number.parseInt(port, 16)}`;
}

/** The start of an IPv4 address in IPv6. */
const MAPPED = "00000000000000000000ffff";

function hexOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (isIPv4(plain))
    return (
      MAPPED +
      plain
        .split(".")
        .map((part) => hex(Number(part), 2))
        .join("")
    );
  const [head = "", tail] = plain.split("::");
  const groups = (text: string): string[] => text.split(":").filter(Boolean);
  const [before, after] = [groups(head), tail === undefined ? [] : groups(tail)];
  const middle = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...middle, ...after].map((group) => hex(Number.parseInt(group, 16), 4)).join("");
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function isOwnAddress(address: string): boolean {
  const plain = hexOf(address);
  const isOwn = Object.values(networkInterfaces()).some((list) => list?.some((row) => hexOf(row.address) === plain));
  return isOwn || isLoopback(address);
}

/** Other calls must not wait while all descriptors are read. */
const SLICE_MS = 4;

async function holdersOf(link: string, user: number): Promise<number[]> {
  const found: number[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const name of readdirSync("/proc")) {
    if (performance.now() > sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
    const pid = Number(name);
    if (Number.isSafeInteger(pid) && userOf(pid) === user && holds(pid, link)) found.push(pid);
  }
  return found;
}

function holds(pid: number, link: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === link);
  } catch {
    // It has exited, or may not be looked at.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
