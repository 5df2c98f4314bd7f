import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Judge } from "../judge.ts";
import { Crew, until } from "../processes.ts";
import { dial, type Where } from "../raw.ts";
import type { Scenario } from "../scenario.ts";

const CONNECTIONS = { short: 120, full: 1_000 };
const LIMIT_MS = 15_000;

/** Connections that say nothing, half of something, or read nothing: all closed, while an ordinary client is served. */
export const stalled: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const hub = await crew.startHub();
  const { url, token, line } = crew.hubFile();
  const host = new URL(url);
  const places: { readonly [name: string]: Where } = {
    tcp: { host: "127.0.0.1", port: Number(host.port) },
    http: { path: crew.socket("http") },
    line: { path: line },
  };
  const open: Socket[] = [];
  const [opened, closedBy] = [{ count: 0 }, new Map<string, number>()];
  const { kinds, slow } = stallsOf(host.host, token, crew.operatorToken());
  await storeMuch(crew);
  let started = performance.now();
  for (let index = 0; index < CONNECTIONS[size]; index++) {
    // An answer that nobody reads is work for the hub all the same; a few of those say as much as many.
    const [name, [place, text]] = (
      index % 10 === 9 ? slow[index % 20 === 9 ? 0 : 1] : kinds[index % kinds.length]
    ) as (typeof kinds)[number];
    const socket = dial(places[place] as Where);
    open.push(socket);
    socket.on("connect", () => opened.count++);
    // Whoever reads nothing does not hear of the end either, unless the other side resets.
    if (name.startsWith("slow reader")) socket.pause();
    else socket.resume();
    socket.on("close", () => closedBy.set(name, performance.now() - started));
    socket.write(text);
    if (index % 50 === 49) await pause(5);
  }
  await until("all are connected", () => opened.count === CONNECTIONS[size]);
  started = performance.now();
  const served = await serveUntil(crew, () => open.every((socket) => socket.destroyed || isHungUp(socket)), LIMIT_MS * 2);
  const ms = Math.round(performance.now() - started);
  const left = open.filter((socket) => !socket.destroyed && !isHungUp(socket)).length;
  for (const socket of open) socket.destroy();
  judge.happened(opened.count === CONNECTIONS[size], "all connections stood");
  judge.look("own", CONNECTIONS[size], left === 0 ? [] : [`${left} connections are still open after ${ms} ms`]);
  if (size === "full") judge.expect("own", ms <= LIMIT_MS, `it took ${ms} ms to close them all`);
  judge.look("own", served.count, served.failures);
  judge.expect("own", hub.isRunning, "the hub died");
  judge.note(
    `${opened.count} closed within ${ms} ms; an ordinary client was served ${served.count} times meanwhile, slowest ${served.slowestMs} ms`,
  );
  judge.note(`ms until closed: ${[...closedBy].map(([name, at]) => `${name} ${Math.round(at)}`).join(", ")}`);
  return judge.verdict("stalled connections", seed);
};

/** So that an answer is longer than what the system takes for somebody who does not read it. */
async function storeMuch(crew: Crew): Promise<void> {
  const { url, token } = crew.hubFile();
  const lines = Array.from({ length: 100 }, (_, count) =>
    JSON.stringify({ event_type: "myapp:noted", context: { count, text: "long ".repeat(800) } }),
  );
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" };
  await fetch(`${url}/api/hooks/ingest`, { method: "POST", headers, body: lines.join("\n") });
}

/** A reader that reads nothing learns of the end only by writing. */
function isHungUp(socket: Socket): boolean {
  if (!socket.isPaused()) return false;
  socket.write("\r\n");
  return socket.errored !== null;
}

type Stall = readonly [name: string, how: readonly ["tcp" | "http" | "line", string]];

function stallsOf(host: string, token: string, operator: string): { readonly kinds: readonly Stall[]; readonly slow: readonly Stall[] } {
  const head = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
  const halfBody = `POST /api/hooks/ingest HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"event_type":`;
  const unread = `GET /api/events?limit=100 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${operator}\r\n\r\n`.repeat(20);
  const kinds: Stall[] = [];
  for (const place of ["tcp", "http"] as const) {
    kinds.push(
      [`silent, ${place}`, [place, ""]],
      [`half a header, ${place}`, [place, `GET /api/hooks/health HTTP/1.1\r\nHost: ${host}\r\nX-Sl`]],
    );
    kinds.push([`half a body, ${place}`, [place, halfBody]]);
  }
  kinds.push(["silent, line", ["line", ""]], ["half a hello, line", ["line", '{"type":"hello","v":1,']]);
  kinds.push(["no login, line", ["line", '{"type":"hello","v":1,"nonce":"AAAAAAAAAAAAAAAAAAAAAA"}\n']]);
  return {
    kinds,
    slow: [
      ["slow reader, tcp", ["tcp", unread]],
      ["slow reader, http", ["http", unread]],
    ],
  };
}

/** An ordinary client asks and publishes until it is over. */
async function serveUntil(crew: Crew, isOver: () => boolean, limitMs: number) {
  const { url, token } = crew.hubFile();
  const failures: string[] = [];
  let [count, slowestMs] = [0, 0];
  for (const end = performance.now() + limitMs; !isOver() && performance.now() < end; count++) {
    const before = performance.now();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ event_type: "myapp:noted", context: { count } });
    const answer = await fetch(`${url}/api/hooks/ingest`, { method: "POST", headers, body }).catch((error: Error) => ({
      status: error.message,
    }));
    if (answer.status !== 200) failures.push(`the ordinary client was answered with ${answer.status}`);
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - before));
    await pause(50);
  }
  return { count, failures, slowestMs };
}
