import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agents } from "../../../packages/hookline/dist/agents/agents.js";
import { type ClientScript, clientScript } from "../../../packages/hookline/dist/agents/attach/client-script.js";
import { encodeKey } from "../../../packages/hookline/dist/agents/client/key-file.js";
import { encodeReply, NONCE_HEADER } from "../../../packages/hookline/dist/agents/client/reply-format.js";
import type { Interpreter } from "../../../packages/hookline/dist/agents/client/write-client.js";
import { type AgentContracts, canBeStrict, contractFor } from "../../../packages/hookline/dist/agents/shared/contract.js";
import { Judge } from "../judge.ts";
import { createRandom } from "../oracle.ts";
import type { Scenario } from "../scenario.ts";

const KEY = { token: "token_of_the_attached-agents", seal: "seal_of_the_hub-0123456789" };
const AT_ONCE = 4;
/**
 * Prefixes and flipped bytes of each client that are always tried, whatever the machine: its ends, and others that the seed picks. Node takes ten
 * times as long to start as the others.
 */
const LEAST = { short: 3, full: 100 };
const LEAST_NODE = { short: 1, full: 50 };
/**
 * Then every place of one client, the only one that is checked by sums of our own and not by SHA-256, and then those of the others in the order of
 * the seed, until the time is over.
 */
const WHOLE = "claude-code by perl";
const MOST_MS = { short: 0, full: 360_000 };

const programs = {
  curl: "/usr/bin/curl",
  sha256: "/usr/bin/sha256sum",
  ls: "/usr/bin/ls",
  date: "/usr/bin/date",
  cat: "/usr/bin/cat",
  od: "/usr/bin/od",
};
const interpreters: readonly Interpreter[] = [
  { kind: "perl", path: "/usr/bin/perl" },
  { kind: "sh", sh: "/bin/sh", ...programs },
  { kind: "node", path: process.execPath },
];

/** Prefixes and flipped bytes of the clients of all agents that can be strict, with a hub that would let the call pass: all are denied. */
export const clientDamage: Scenario = async (seed, size) => {
  const judge = new Judge();
  const { next: random } = createRandom(seed);
  const home = mkdtempSync(join(tmpdir(), "hl-damage-"));
  const asked: string[] = [];
  const server = createServer(({ headers, url = "" }, response) => {
    const [agent = "", native = ""] = url.split("/").slice(-2);
    asked.push(url);
    response.end(encodeReply(KEY.seal, { stdout: "", stderr: "", exitCode: 0 }, { nonce: String(headers[NONCE_HEADER]), agent, native }));
  });
  const socket = socketIn(home);
  try {
    server.listen(socket);
    await once(server, "listening");
    chmodSync(socket, 0o600);
    // `--strict` is refused for agents of which it is not known that a failed hook denies.
    // The plugin of an agent that runs one in its own process is damaged by the scenario plugin-damaged of test:agents.
    const strict = agents.filter(({ install, contracts }) => install.plugin === undefined && isStrict(contracts));
    const clients = strict.flatMap((agent) => interpreters.map((interpreter) => clientOf(agent, interpreter, home)));
    for (const { name, native, benches } of clients) {
      const [bench] = benches as [Bench];
      const before = asked.length;
      put(bench, Buffer.from(bench.client.text));
      judge.happened((await play(bench, native)).code === 0 && asked.length === before + 1, `${name}: the whole client did not ask`);
    }
    const [least, whole, others] = [[] as Trial[], [] as Trial[], [] as Trial[]];
    for (const client of clients) {
      const damages = damagesOf(client, (client.isNode ? LEAST_NODE : LEAST)[size], random);
      least.push(...damages.least.map((damage) => ({ client, damage })));
      (client.name === WHOLE ? whole : others).push(...damages.others.map((damage) => ({ client, damage })));
    }
    judge.happened(whole.length > 0, `there is no client "${WHOLE}"`);
    const more = [...shuffle(others, random), ...whole];
    const [places, until] = [least.length + more.length, performance.now() + MOST_MS[size]];
    let tried = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, worker) => {
        for (;;) {
          const trial = least.pop() ?? (performance.now() < until ? more.pop() : undefined);
          if (trial === undefined) return;
          const { name, native, benches } = trial.client;
          const bench = benches[worker] as Bench;
          put(bench, trial.damage.of(Buffer.from(bench.client.text)));
          const before = asked.length;
          const { code, err } = await play(bench, native);
          tried++;
          const isDenied = code === 2 && err !== "" && asked.length === before;
          judge.expect(
            "own",
            isDenied,
            `${name}, ${trial.damage.name}: exit code ${code}, ${asked.length - before} questions meanwhile, ${JSON.stringify(err.slice(0, 100))}`,
          );
        }
      }),
    );
    if (size === "short") return judge.verdict("client damage", seed);
    const wasWhole = more.length <= others.length;
    judge.note(
      `${tried} of ${places} damages of ${clients.length} clients were tried, ${wasWhole ? "" : "not "}all of ${WHOLE} among them`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
  return judge.verdict("client damage", seed);
};

function isStrict(contracts: AgentContracts): boolean {
  return canBeStrict(contractFor(contracts, undefined).contract.guarding.level);
}

/** A client of one agent for one interpreter, in a folder for each that plays it. */
interface Client {
  readonly name: string;
  readonly native: string;
  readonly isNode: boolean;
  readonly bytes: number;
  readonly benches: readonly Bench[];
}

function clientOf(agent: (typeof agents)[number], interpreter: Interpreter, home: string): Client {
  const native = Object.entries(agent.events).find(([, { event }]) => event === "tool:before")?.[0] ?? "";
  const socket = socketIn(home);
  const benches = Array.from({ length: AT_ONCE }, (_, at) => {
    const folder = join(home, `${agent.id}-${interpreter.kind}-${at}`);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "key"), encodeKey(KEY), { mode: 0o600 });
    return { folder, client: clientScript({ agent, isStrict: true, env: process.env, folder, socket, interpreter }) };
  });
  const bytes = Buffer.byteLength(benches[0]?.client.text ?? "");
  return { name: `${agent.id} by ${interpreter.kind}`, native, isNode: interpreter.kind === "node", bytes, benches };
}

interface Trial {
  readonly client: Client;
  readonly damage: Damage;
}

interface Bench {
  readonly folder: string;
  readonly client: ClientScript;
}

interface Damage {
  readonly name: string;
  of(bytes: Buffer): Buffer;
}

function prefix(length: number): Damage {
  return { name: `its first ${length} bytes`, of: (bytes) => bytes.subarray(0, length) };
}

function flipped(at: number, bit: number): Damage {
  return {
    name: `byte ${at} with bit ${bit} flipped`,
    of(bytes) {
      bytes[at] = (bytes[at] ?? 0) ^ bit;
      return bytes;
    },
  };
}

/** A prefix and a flipped byte at each place: first those that are tried on every machine. */
function damagesOf({ bytes }: Client, count: number, random: () => number): { readonly least: Damage[]; readonly others: Damage[] } {
  const inner = shuffle(
    Array.from({ length: bytes - 2 }, (_, at) => at + 1),
    random,
  );
  const places = [0, bytes - 1, ...inner];
  const both = (at: number): Damage[] => [prefix(at), flipped(at, 1 << (random() * 8))];
  return { least: places.slice(0, count).flatMap(both), others: places.slice(count).flatMap(both) };
}

function shuffle<T>(items: T[], random: () => number): T[] {
  for (let end = items.length - 1; end > 0; end--) {
    const other = Math.floor(random() * (end + 1));
    [items[end], items[other]] = [items[other] as T, items[end] as T];
  }
  return items;
}

function socketIn(home: string): string {
  return join(home, "http.sock");
}

function put({ folder, client }: Bench, bytes: Buffer): void {
  writeFileSync(join(folder, client.name), bytes);
}

async function play({ client }: Bench, native: string): Promise<{ readonly code: number | null; readonly err: string }> {
  const child = spawn("/bin/sh", ["-c", client.command(native)], { stdio: ["pipe", "ignore", "pipe"] });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  child.stdin.on("error", () => {});
  child.stdin.end("{}");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, err };
}
