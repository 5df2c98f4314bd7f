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
import { type AgentContracts, contractFor } from "../../../packages/hookline/dist/agents/shared/contract.js";
import { Judge } from "../judge.ts";
import { createRandom } from "../oracle.ts";
import type { Scenario } from "../scenario.ts";

const KEY = { token: "token_of_the_attached-agents", seal: "seal_of_the_hub-0123456789" };
const AT_ONCE = 4;
/**
 * Prefixes and flipped bytes each. Every place of the first agent's clients; those of the others differ from them by a few lines of data.
 * Node takes ten times as long to start as the others.
 */
const FIRST_SAMPLES = { short: 3, full: Number.POSITIVE_INFINITY };
const SAMPLES = { short: 3, full: 500 };
const NODE_SAMPLES = { short: 1, full: 500 };

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
  const socket = join(home, "http.sock");
  try {
    server.listen(socket);
    await once(server, "listening");
    chmodSync(socket, 0o600);
    // `--strict` is refused for agents of which it is not known that a failed hook denies.
    // The plugin of an agent that runs one in its own process is damaged by the scenario plugin-damaged of test:agents.
    const strict = agents.filter(({ install, contracts }) => install.plugin === undefined && isStrict(contracts));
    for (const agent of strict)
      for (const interpreter of interpreters) {
        const native = Object.entries(agent.events).find(([, { event }]) => event === "tool:before")?.[0] ?? "";
        const name = `${agent.id} by ${interpreter.kind}`;
        const benches = Array.from({ length: AT_ONCE }, (_, at) => {
          const folder = join(home, `${agent.id}-${interpreter.kind}-${at}`);
          mkdirSync(folder, { mode: 0o700 });
          writeFileSync(join(folder, "key"), encodeKey(KEY), { mode: 0o600 });
          return { folder, client: clientScript({ agent, isStrict: true, env: process.env, folder, socket, interpreter }) };
        });
        const before = asked.length;
        const [first] = benches as [Bench];
        put(first, Buffer.from(first.client.text));
        judge.happened((await play(first, native)).code === 0 && asked.length === before + 1, `${name}: the whole client did not ask`);
        const most = (interpreter.kind === "node" ? NODE_SAMPLES : agent === strict[0] ? FIRST_SAMPLES : SAMPLES)[size];
        const bytes = Buffer.byteLength(first.client.text);
        const damages = [
          ...picked(bytes, most, random).map(prefix),
          ...picked(bytes, most, random).map((at) => flipped(at, 1 << (random() * 8))),
        ];
        await Promise.all(
          benches.map(async (bench) => {
            for (let damage = damages.pop(); damage !== undefined; damage = damages.pop()) {
              put(bench, damage.of(Buffer.from(bench.client.text)));
              const { code, err } = await play(bench, native);
              judge.expect(
                "own",
                code === 2 && err !== "",
                `${name}, ${damage.name}: exit code ${code}, ${JSON.stringify(err.slice(0, 100))}`,
              );
            }
          }),
        );
        judge.expect("own", asked.length === before + 1, `${name}: a damaged client asked the hub`);
      }
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
  return judge.verdict("client damage", seed);
};

function isStrict(contracts: AgentContracts): boolean {
  return contractFor(contracts, undefined).contract.guarding.level === "strict";
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

/** All positions, or so many of them. */
function picked(length: number, most: number, random: () => number): number[] {
  if (most >= length) return Array.from({ length }, (_, at) => at);
  return Array.from({ length: most }, () => Math.floor(random() * length));
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
