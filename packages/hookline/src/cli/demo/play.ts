import { randomBytes } from "node:crypto";
import { type Approver, ask, type Bus, block, createBus, type SessionRef, type ToolRun } from "@hookline/core";
import { connectToHub, type HubConnection } from "@hookline/core/forward";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import type { Terminal } from "../terminal.js";
import { askPerson, isAtTerminal } from "./ask-person.js";
import { createDemoAgent, type DemoAgent } from "./demo-agent.js";

const ATTACH_MS = 2_000;
const CLOSE_MS = 5_000;
/** The exit code of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

interface DemoOptions {
  readonly isFast: boolean;
  /** The person at the terminal answers the guards' questions. */
  readonly isAsking: boolean;
  /** The guards' questions wait in the hub. */
  readonly isWaiting: boolean;
}

/** Runs the scripted agent on a bus of its own, through the real forwarder. */
export async function playDemo(terminal: Terminal, { isFast, isAsking, isWaiting }: DemoOptions): Promise<number> {
  const bus = createBus({ source: "demo-agent" });
  const blocked: string[] = [];
  bus.tap({ dispatched: (event, { decision }) => void (decision?.verdict === "deny" && blocked.push(event.id)) });
  // The demo says in its own words that there is no hub.
  const line = connectToHub(bus, { source: "demo-agent", onError: (error) => error.code !== "HL_NO_HUB" && bus.report(error) });
  addGuards(bus);
  const person = isAsking && isAtTerminal(terminal) ? askPerson(terminal) : undefined;
  if (!isWaiting) bus.setApprover(person?.approver ?? scriptedPerson);
  const session = { id: `demo-${randomBytes(3).toString("hex")}` };

  const isWatched = await attached(line);
  terminal.say(isWatched ? watchedText(session.id) : unwatchedText(bus, line));
  if (isAsking && person === undefined) terminal.say("--ask needs a terminal, so the script's Ann answers instead of you.");
  terminal.print("This is a scripted agent. Each call goes through its guards; their answers are printed below it.\n");
  await playScript(createDemoAgent(bus, terminal, isFast), session);
  person?.close();
  if (person?.wasAsked === false) terminal.say("\nYou were not asked, because guards of the hub had already denied the call.");
  const { acked, accepted, spooled } = await line.close(CLOSE_MS);
  terminal.print("");
  if (person?.isInterrupted === true) return INTERRUPTED;
  if (!isWatched) return EXIT.ok;
  terminal.say(`The hub has ${acked} of ${countText(accepted, "event")}. To look at them:`);
  for (const command of nextCommands(session.id, blocked[0])) terminal.say(`  ${terminal.paintTalk("bold", command)}`);
  if (!isAsking) terminal.say("To answer the guard yourself: hookline demo --ask");
  return acked + spooled === accepted ? EXIT.ok : EXIT.failed;
}

/** A running hub is reached in milliseconds; without a hub there is no wait. */
async function attached(line: HubConnection): Promise<boolean> {
  if (line.state === "off") return false;
  for (const end = Date.now() + ATTACH_MS; Date.now() < end && line.state === "connecting"; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  return line.state === "attached";
}

function watchedText(session: string): string {
  return `Connected to the hub as demo-agent, session ${session}. Watch it from another terminal: hookline tail`;
}

function unwatchedText({ isOff }: Bus, { state }: HubConnection): string {
  if (isOff) return "HOOKLINE switches Hookline off, so no hub receives events and no guard is asked. Run: unset HOOKLINE";
  if (state === "off") return "HOOKLINE_FORWARD switches forwarding off, so no hub receives events. Run: unset HOOKLINE_FORWARD";
  return "No hub is running, so the events are not recorded; the agent runs anyway. To start a hub: hookline up --detach";
}

function nextCommands(session: string, blocked: string | undefined): string[] {
  const listing = ["hookline open", `hookline tail --no-follow -n 100 --session ${session}`, "hookline sessions"];
  return blocked === undefined ? listing : [...listing, `hookline show ${blocked}`];
}

/** Answers in place of a person. */
const scriptedPerson: Approver = () => ({ verdict: "allow", by: "Ann", reason: "Yes, it is my branch." });

/** The guards of the scripted agent. The guard with the highest priority runs first, and again whenever a later one rewrites the call. */
function addGuards(bus: Bus): void {
  bus.on("tool:before", ({ payload }) => (payload.tool.input.command?.includes("rm -rf") ? block("rm -rf is not for agents") : undefined), {
    name: "no-rm",
    priority: 10,
  });
  bus.on("tool:before", ({ payload }) => rewrite(`${payload.tool.input.command} --ignore-scripts`, "packages must not run scripts"), {
    name: "safe-install",
    match: "tool.input.command =~ '^npm install' && !tool.input.command contains '--ignore-scripts'",
  });
  bus.on("tool:before", () => rewrite("rm -rf build", "the alias stands for this command"), {
    name: "aliases",
    match: "tool.input.command == 'clean'",
  });
  bus.on("tool:before", () => ask("A force push. Are you sure?"), {
    name: "ask-push",
    match: "tool.input.command contains 'push --force'",
  });
}

function rewrite(command: string, reason: string) {
  return { args: { command }, reason };
}

/** What the scripted agent does: a session with a prompt, streamed text, calls with every outcome, and a subagent. */
async function playScript(demo: DemoAgent, session: SessionRef): Promise<void> {
  const { bus } = demo;
  const agent = { name: "demo-agent", model: "scripted" };
  await bus.decide("session:start", { session, agent, cwd: "/demo" });
  const prompt = "Tidy up the build and publish the fix.";
  demo.tell(`A person asks: ${prompt}`);
  await bus.decide("prompt:submit", { session, prompt });
  bus.emit("agent:start", { session, agent, prompt });
  await demo.speak(session, "I will look around first, then install what is missing, and let a helper read the log.");

  await demo.call(session, "git status --short", "no guard objects");
  await demo.call(session, "npm install left-pad", "a guard rewrites it, and no-rm checks the new command");
  await playSubagent(demo, { id: `${session.id}-log`, parentId: session.id }, session);
  await demo.call(session, "clean", "a rewrite cannot bypass a guard: no-rm passes the alias, but not its command");
  const push = await demo.call(session, "git push --force", "a guard asks a person about it");

  await demo.speak(session, closingWords(push));
  bus.emit("turn:end", { session, usage: { inputTokens: 1834, outputTokens: 212, costUsd: 0.0087 } });
  bus.emit("agent:end", { session, reason: "finished" });
  bus.emit("session:end", { session, reason: "finished" });
}

function closingWords({ status, decision }: ToolRun): string {
  if (status === "blocked") return "Done, but the fix is not published: the push was denied. Nothing was deleted.";
  return decision.modified ? "Done, with your command in place of the push." : "Done: the fix is published, and nothing was deleted.";
}

async function playSubagent(demo: DemoAgent, session: SessionRef, parent: SessionRef): Promise<void> {
  const { bus } = demo;
  const worker = { id: session.id, name: "log-reader", task: "find the error in build.log" };
  demo.tell("\nA subagent starts, with its own session.");
  await bus.decide("worker:spawned", { session: parent, worker });
  await bus.decide("session:start", { session, worker });
  await demo.call(session, "grep -n ERROR build.log", "the subagent's first call");
  await demo.call(session, "rm -rf /", "the same guards apply to a subagent");
  bus.emit("session:end", { session, reason: "finished" });
  bus.emit("worker:completed", { session: parent, worker: { ...worker, status: "completed" } });
}
