import { mkdirSync, rmSync } from "node:fs";
import { writeHubFile } from "@hookline/core/internal/machine";
import { Judge } from "../judge.ts";
import { Crew, type Publisher, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh, judgeHub } from "../settling.ts";
import { LINE_MANNERS, type Manner, Squatter } from "../squatter.ts";

const TOKEN = "canary-token-0123456789abcdef";
const MANNERS: { readonly [size: string]: readonly Manner[] } = {
  short: ["rubbish", "a proof of its own"],
  full: Object.keys(LINE_MANNERS) as Manner[],
};

/** Somebody else on the port and the sockets, with a hub.json that points there: it hears neither an event nor a token. */
export const squatter: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const hub = await crew.startHub();
  const publishers = [await crew.startPublisher({ name: "canary", seed, burst: 5, everyMs: 20 })];
  await publishers[0]?.member.ask("go");
  await hub.kill();
  {
    await using sitting = await sit(crew);
    for (const manner of MANNERS[size] ?? []) {
      sitting.manner = manner;
      const before = sitting.heard.line.length;
      await until(`the forwarder tries its luck (${manner})`, () => sitting.heard.line.length > before + 40);
    }
    await judgeCommands(judge, crew);
    judge.happened(sitting.heard.line.includes('"hello"'), "a forwarder came by the line");
    judge.happened(sitting.heard.http.includes("/api/hooks/"), "a client came by HTTP");
    judgeHeard(judge, sitting.heard);
  }
  const next = await crew.startHub();
  await judgeFresh(judge, crew, publishers[0] as Publisher, size === "full" ? performance.now() : undefined);
  await judgeHub(judge, crew, next, await claimsOf(publishers));
  return judge.verdict("squatter", seed);
};

async function sit(crew: Crew): Promise<Squatter> {
  mkdirSync(crew.state, { recursive: true, mode: 0o700 });
  const [line, http] = [crew.socket("line"), crew.socket("http")];
  for (const path of [line, http]) rmSync(path, { force: true });
  const sitting = await Squatter.sit(line, http);
  const url = `http://127.0.0.1:${sitting.port}`;
  writeHubFile(crew.state, { url, line, http, token: TOKEN, pid: process.pid, startedAt: new Date().toISOString(), instance: "squatter" });
  return sitting;
}

/** The command line says that this is no hub, and goes without it. */
async function judgeCommands(judge: Judge, crew: Crew): Promise<void> {
  const status = await crew.hookline("status").ended;
  judge.expect("own", status.code === 4 && /another program answers/i.test(status.stderr), `status: ${status.code} ${status.stderr}`);
  const doctor = await crew.hookline("doctor", "--json").ended;
  judge.expect(
    "own",
    doctor.code === 1 && /another program answers/i.test(doctor.stdout),
    `doctor: ${doctor.code} ${doctor.stdout.slice(0, 500)}`,
  );
  const emit = await crew.hookline("emit", "myapp:noted", "--payload", '{"secret":"canary#1"}').ended;
  judge.expect("own", emit.code === 4, `emit: ${emit.code} ${emit.stderr}`);
}

function judgeHeard(judge: Judge, { line, http }: Squatter["heard"]): void {
  const frames = line.split("\n").filter((text) => text.startsWith("{"));
  const others = frames.filter((text) => !/^\{"type":"hello","v":1,"nonce":"[\w-]+"\}$/.test(text));
  judge.look(
    "own",
    frames.length,
    others.map((text) => `the squatter was told: ${text.slice(0, 120)}`),
  );
  const told = [line, http].filter((text) => text.includes(TOKEN) || text.includes("canary#") || /authorization/i.test(text));
  judge.look(
    "own",
    2,
    told.map(() => "the squatter was told a token or an event"),
  );
  judge.note(
    `the squatter heard ${frames.length} greetings and ${http.split("\n").filter((text) => /^[A-Z]+ \//.test(text)).length} requests`,
  );
}
