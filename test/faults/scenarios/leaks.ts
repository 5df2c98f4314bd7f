import { readdirSync } from "node:fs";
import { LineClient } from "../../support/line-client.ts";
import { sampleEnvelope } from "../../support/sample-envelope.ts";
import { configureGuard } from "../guard.ts";
import { Judge } from "../judge.ts";
import { Crew, type Member, until } from "../processes.ts";
import { dial } from "../raw.ts";
import type { Scenario } from "../scenario.ts";
import { openOf } from "../system.ts";

const AMOUNTS = { short: { attach: 20, streams: 50, gates: 30 }, full: { attach: 200, streams: 200, gates: 100 } };

type Counts = { readonly [kind: string]: number };

/** Forwarders, streams and questions that come and go: afterwards the hub holds what it held before. */
export const leaks: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  configureGuard(crew, 300);
  const hub = await crew.startHub();
  // Once, so that what is made at the first use is there before the count.
  await useAll(crew, { attach: 2, streams: 2, gates: 2 });
  await until("the hub is at rest", () => isAtRest(hub));
  const [before, resources, files] = [openOf(hub.pid), await resourcesOf(hub), filesIn(crew.state)];
  const most = await useAll(crew, AMOUNTS[size], () => openOf(hub.pid).sockets ?? 0);
  judge.happened(most >= (before.sockets ?? 0) + AMOUNTS[size].streams, "the hub held all the streams at once");
  // A later look could see a timer of the hub's own work.
  let [open, left]: [Counts, Counts] = [{}, {}];
  await until(
    "the hub is back where it was",
    async () => {
      [open, left] = [openOf(hub.pid), await resourcesOf(hub)];
      return isWithin(open, before) && isWithin(left, resources);
    },
    30_000,
  ).catch(() => {});
  judgeCounts(judge, "descriptors", open, before);
  judgeCounts(judge, "resources", left, resources);
  const forgotten = filesIn(crew.state).filter((name) => !files.includes(name) || /\.tmp$|^\.hub/.test(name));
  judge.look(
    "I10",
    files.length,
    forgotten.map((name) => `${name} is left behind`),
  );
  judge.note(`descriptors ${JSON.stringify(before)}, at most ${most} sockets meanwhile`);
  await hub.ask("close");
  judge.expect("I10", !filesIn(crew.state).includes("hub.json"), "hub.json is left behind");
  return judge.verdict("leaks", seed);
};

interface Amounts {
  readonly attach: number;
  readonly streams: number;
  readonly gates: number;
}

async function useAll(crew: Crew, { attach, streams, gates }: Amounts, measure = () => 0): Promise<number> {
  const { url, token, line } = crew.hubFile();
  for (let index = 0; index < attach; index++) {
    const client = await LineClient.attached(line, token, `leak-${index}`);
    client.say(sampleEnvelope());
    await client.next(({ type }) => type === "ack");
    client.socket.destroy();
  }
  const asking = await LineClient.attached(line, token, "leak-gates");
  for (let index = 0; index < gates; index++)
    asking.say({
      type: "gate",
      id: `g${index}`,
      event: "tool:before",
      payload: { tool: { name: "bash", input: { command: "fine" } } },
      deadlineMs: 5_000,
    });
  await until("all questions are answered", () => asking.frames.filter(({ type }) => type === "verdict").length === gates);
  asking.socket.destroy();
  const { host, hostname, port } = new URL(url);
  const request = `GET /api/stream HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${crew.operatorToken()}\r\n\r\n`;
  const open = Array.from({ length: streams }, () => dial({ host: hostname, port: Number(port) }));
  let greeted = 0;
  for (const socket of open) {
    socket.once("data", () => greeted++);
    socket.write(request);
  }
  await until("all streams have begun", () => greeted === streams);
  const most = measure();
  for (const socket of open) socket.destroy();
  return most;
}

async function isAtRest(hub: Member): Promise<boolean> {
  const before = JSON.stringify([openOf(hub.pid), await resourcesOf(hub)]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return before === JSON.stringify([openOf(hub.pid), await resourcesOf(hub)]);
}

function resourcesOf(hub: Member): Promise<Counts> {
  return hub.ask<Counts>("resources");
}

function isWithin(now: Counts, before: Counts): boolean {
  return Object.entries(now).every(([kind, count]) => count <= (before[kind] ?? 0));
}

function judgeCounts(judge: Judge, what: string, now: Counts, before: Counts): void {
  for (const [kind, count] of Object.entries(now))
    judge.expect("I10", count <= (before[kind] ?? 0), `${what}: ${count} ${kind}, and ${before[kind] ?? 0} before`);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}
