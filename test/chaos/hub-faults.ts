import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fillUp, freeUp } from "../faults/full-disk.ts";
import { freeze, thaw } from "../faults/nemesis.ts";
import { until } from "../faults/processes.ts";
import { dial } from "../faults/raw.ts";
import { openOf } from "../faults/system.ts";
import { type Fault, happened, type Scene } from "./fault.ts";

const killHub: Fault = {
  name: "kill hub",
  weight: 14,
  kills: 1,
  async act({ world, random }) {
    // A hub that has taken nothing since it came back is not under load.
    await world.goesOn();
    await pause(random.between(0, 300));
    happened((await world.hub.kill()).signal === "SIGKILL", "the hub was killed");
    await pause(random.pick([0, 0, random.between(0, 600)]));
    await world.startHub();
  },
};

const stopHub: Fault = {
  name: "stop hub",
  weight: 2,
  async act({ world, random }) {
    happened(await freeze(world.hub), "the hub stands still");
    await pause(random.between(500, 3_000));
    thaw(world.hub);
  },
};

const fullDisk: Fault = {
  name: "full disk",
  weight: 2,
  missing: ({ disk }) => (typeof disk === "string" ? disk : undefined),
  async act({ world, random }) {
    happened(await fillUp(world.crew, world.data), "the disk is full, and the ballast given up");
    await pause(random.between(200, 1_000));
    happened(world.hub.isRunning, "the hub outlives a full disk");
    await freeUp(world.crew, world.data);
  },
};

const noDescriptors: Fault = {
  name: "no descriptors",
  weight: 2,
  isPublishersApart: true,
  async act({ world, random }) {
    const { pid } = world.hub;
    const total = Object.values(openOf(pid)).reduce((sum, count) => sum + count, 0);
    const limit = total + random.between(2, 10);
    limitDescriptors(pid, limit);
    const { port } = new URL(world.crew.hubFile().url);
    const sockets = Array.from({ length: 24 }, () => dial({ host: "127.0.0.1", port: Number(port) }));
    try {
      await until(
        "the hub has no descriptor left",
        () => Object.values(openOf(pid)).reduce((sum, count) => sum + count, 0) >= limit - 1,
        20_000,
      );
      await pause(random.between(300, 1_500));
    } finally {
      for (const socket of sockets) socket.destroy();
      limitDescriptors(pid, 4_096);
    }
    happened(world.hub.isRunning, "the hub outlives having no descriptors");
  },
};

function limitDescriptors(pid: number, count: number): void {
  happened(spawnSync("prlimit", [`--pid=${pid}`, `--nofile=${count}:`]).status === 0, "the limit was set");
}

const readOnlyFolder: Fault = {
  name: "read-only folder",
  weight: 2,
  isPublishersApart: true,
  missing: ({ crew }) => (setImmutable(crew.state, false) ? undefined : "a folder that even root cannot write to needs chattr"),
  async act({ world, random }) {
    const folder = random.pick([world.crew.state, world.data]);
    happened(setImmutable(folder, true), "the folder is read-only");
    try {
      happened(!canWrite(folder), "the folder cannot be written to");
      // A token that cannot be kept must not take the place of the one that is.
      await world.hub.ask("rotate").catch(() => {});
      await pause(random.between(300, 1_500));
    } finally {
      setImmutable(folder, false);
    }
    happened(world.hub.isRunning, "the hub outlives a read-only folder");
  },
};

function setImmutable(folder: string, isOn: boolean): boolean {
  return spawnSync("chattr", [isOn ? "+i" : "-i", folder]).status === 0;
}

function canWrite(folder: string): boolean {
  const path = join(folder, "written-by-chaos");
  try {
    writeFileSync(path, "");
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}

const clockJump: Fault = {
  name: "clock jump",
  weight: 4,
  missing: ({ clock }) => (typeof clock === "string" ? clock : undefined),
  async act({ world, random }) {
    const { clock, hub } = world;
    if (typeof clock === "string") throw new Error(clock);
    const before = (await hub.ask<number>("now")) - Date.now();
    const offset = random.pick([-86_400, -3_600, -30, 30, 3_600, 86_400 * 40, -86_400 * 365 * 20]);
    clock.set(offset);
    await until(
      "the hub's clock jumps",
      async () => Math.abs((await hub.ask<number>("now")) - Date.now() - offset * 1_000) < 10_000,
      20_000,
    );
    happened(Math.abs(before - offset * 1_000) > 5_000 || Math.abs(before) > 5_000, "the clock is another");
    await pause(random.between(200, 1_500));
    // Back, or it stays so for the rest of the run.
    if (random.next() < 0.6) clock.set(0);
  },
};

const rotate: Fault = {
  name: "rotate tokens",
  weight: 2,
  async act({ world }) {
    const old = await world.hub.ask<string>("rotate");
    happened(world.crew.hubFile().token !== old, "the token is another");
  },
};

const runtimeFolder: Fault = {
  name: "runtime folder removed",
  weight: 2,
  async act({ world, random }) {
    const folder = join(world.crew.folder, "run", "hookline");
    happened(existsSync(folder), "there was a runtime folder");
    rmSync(folder, { recursive: true });
    await pause(random.between(0, 500));
    await until("the sockets come back", () => existsSync(world.crew.socket("line")) && existsSync(world.crew.socket("http")));
  },
};

const staleFile: Fault = {
  name: "stale hub.json",
  weight: 2,
  kills: 1,
  async act({ world, random }) {
    happened((await world.hub.kill()).signal === "SIGKILL", "the hub was killed");
    const path = join(world.crew.state, "hub.json");
    const other = spawn("sleep", ["60"], { stdio: "ignore" });
    try {
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), pid: other.pid }), { mode: 0o600 });
      await pause(random.between(100, 800));
      await world.startHub();
      happened(other.exitCode === null, "the program that has the hub's number was left alone");
    } finally {
      other.kill("SIGKILL");
    }
  },
};

const twoHubs: Fault = {
  name: "second hub",
  weight: 1,
  async act({ world, judge }) {
    const { code, stderr, stdout } = await world.crew.hookline("up", "--port", "0").ended;
    judge.expect("own", code === 0, `a second "hookline up" ended with ${code}: ${stderr}${stdout}`);
  },
};

const configRewritten: Fault = {
  name: "configuration rewritten",
  weight: 2,
  async act({ world, random }) {
    const good = world.config;
    const variants = [
      `${good}\n# another comment\n`,
      `${good}\n[[rule]]\nname = "more"\nevent = "tool:before"\nmatch = "tool.input.command =~ '^never '"\ndo = "block"\n`,
      good.replace('do = "ask"', "do = ask"),
      `${good}\n[[sink]]\ntype = "nothing"\n`,
      good.slice(0, random.between(1, good.length)),
      "",
    ];
    for (let round = 0; round < 40; round++) {
      // Cut to nothing, it says nothing of the rule that asks: the last good one must stay, which only a file with faults makes sure of.
      const text = random.pick(variants);
      world.crew.configure(isWhole(text, good) ? text : `${text}\n[[rule]]\nname = `);
      await pause(random.between(0, 30));
    }
    world.crew.configure(good);
    await until("the good file is in force", async () => {
      const { rules } = await world.crew.get<{ rules: { name: string; state: string }[] }>("/api/handlers");
      return rules.length === 1 && rules[0]?.state === "active";
    });
  },
};

function isWhole(text: string, good: string): boolean {
  return text.startsWith(good);
}

const codeRewritten: Fault = {
  name: "guard's code rewritten",
  weight: 2,
  async act({ world, random, judge }) {
    const path = join(world.guards.folder("folder-guard"), "handler.py");
    const good = readFileSync(path, "utf8");
    // What an agent would like it to be. The accepted version must go on deciding, also after a restart.
    writeFileSync(path, "def handle(event_type, context):\n    return None\n");
    try {
      await pause(random.between(500, 1_500));
      if (random.next() < 0.5) {
        await world.hub.kill();
        await world.startHub();
        await pause(500);
      }
      judge.look("I13", 1);
    } finally {
      writeFileSync(path, good);
    }
  },
};

const halfRequests: Fault = {
  name: "half requests",
  weight: 1,
  async act({ world, random }) {
    const { port } = new URL(world.crew.hubFile().url);
    const sockets = [
      ...Array.from({ length: 30 }, () => dial({ host: "127.0.0.1", port: Number(port) })),
      ...Array.from({ length: 30 }, () => dial({ path: world.crew.socket("line") })),
    ];
    for (const socket of sockets)
      socket.write(random.pick(["POST /api/hooks/ingest HTTP/1.1\r\nHost: x\r\n", '{"type":"hel', "\u0000", ""]));
    await pause(random.between(200, 1_000));
    for (const socket of sockets) random.next() < 0.5 ? socket.destroy() : socket.end();
  },
};

/** An agent that has read every file of its user, but uses only the token that it was given, answers for the person. */
const impostor: Fault = {
  name: "impostor",
  weight: 2,
  async act(scene) {
    const { world } = scene;
    let questions: readonly { readonly id: string; readonly hash: string }[] = [];
    await until("a call waits for a person", async () => {
      const { approvals } = await world.crew
        .get<{ approvals: { id: string; hash: string }[] }>("/api/approvals")
        .catch(() => ({ approvals: [] }));
      questions = approvals;
      return questions.length > 0;
    });
    for (const { id, hash } of questions) await answerAs(scene, id, hash);
  },
};

async function answerAs({ world, judge }: Scene, id: string, hash: string): Promise<void> {
  const { url, token } = world.crew.hubFile();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ verdict: "allow", hash, by: "approver" });
  const answer = await fetch(`${url}/api/approvals/${id}`, { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) });
  await answer.text();
  judge.expect("I13", [401, 403, 409].includes(answer.status), `the token of an agent answered a question: ${answer.status}`);
}

/** What is done to the hub, its folders and its machine. One of a step. */
export const hubFaults: readonly Fault[] = [
  killHub,
  stopHub,
  fullDisk,
  noDescriptors,
  readOnlyFolder,
  clockJump,
  rotate,
  runtimeFolder,
  staleFile,
  twoHubs,
  configRewritten,
  codeRewritten,
  halfRequests,
  impostor,
];
