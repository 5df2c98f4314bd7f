// Asks before each call, as an agent does, and notes what was let through: caller.ts <CallerSettings as JSON>
import { openSync, writeSync } from "node:fs";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { CallerSettings } from "../processes.ts";
import { answerWith, sayReady } from "./answers.ts";

const settings = JSON.parse(process.argv[2] ?? "{}") as CallerSettings;
const { first, timeoutMs = 400, name = "caller", words = ["fine", "fine", "fine", "forbidden"], callers = 8, secret } = settings;
const reports: string[] = [];
const bus = createBus({ source: name, onError: ({ code }) => void reports.push(code) });
// Only decisions are looked at: what is stored is for publishers to say.
const line = connectToHub(bus, { gates: { timeoutMs }, events: "caller:none" });
/** Survives a kill: what was let through until then. */
const log = settings.log === undefined ? undefined : openSync(settings.log, "a", 0o600);
const allowed: string[] = [];
const denied: { [cause: string]: number } = {};
let asked = 0;
let isStopped = false;

function decide(number: number, command: string) {
  const input = { command, ...(secret !== undefined && { api_key: secret }) };
  return bus.decide("tool:before", { session: { id: "s" }, tool: { name: "bash", callId: `${name}-c${number}`, input } });
}

async function call(): Promise<void> {
  const number = ++asked;
  const command = `${words[number % words.length]} ${number}`;
  const decision = await decide(number, command);
  if (decision.allowed) pass(command);
  else note(decision.cause?.failure ?? "rule");
}

function pass(command: string): void {
  allowed.push(command);
  if (log !== undefined) writeSync(log, `${command}\n`);
}

function note(cause: string): void {
  denied[cause] = (denied[cause] ?? 0) + 1;
}

async function callOn(): Promise<void> {
  while (!isStopped) {
    await call();
    await new Promise((resolve) => setTimeout(resolve, settings.everyMs ?? 2));
  }
}

let workers: Promise<unknown> = Promise.resolve();
answerWith({
  go() {
    workers = Promise.all(Array.from({ length: callers }, callOn));
  },
  counts: () => ({ asked, allowed: allowed.length, denied }),
  async call({ command }: { command: string }) {
    const { verdict, reason } = await decide(0, command);
    return { verdict, reason, reports };
  },
  async stop() {
    isStopped = true;
    await workers;
    return { asked, allowed, denied };
  },
});
if (first !== undefined) {
  // Before anything else happens in this process.
  const { verdict, reason } = await decide(0, first);
  sayReady({ verdict, reason, reports });
} else {
  while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 5));
  sayReady();
}
