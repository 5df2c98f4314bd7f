import { randomBytes } from "node:crypto";
import { type Bus, createBus } from "@hookline/core";
import { connectToHub, type HubLine } from "@hookline/core/forward";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import type { Terminal } from "../terminal.js";
import { askPerson, isAtTerminal } from "./ask-person.js";
import { addGuards, scriptedPerson } from "./guards.js";
import { playScript } from "./script.js";
import { createStage } from "./stage.js";

const ATTACH_MS = 2_000;
const CLOSE_MS = 5_000;
/** As a shell reports a command that Ctrl-C ended. */
const INTERRUPTED = 130;

interface DemoOptions {
  readonly isFast: boolean;
  /** The person at the terminal answers what the guards ask. */
  readonly isAsking: boolean;
}

/** Runs the scripted agent on a bus of its own, through the real forwarder. */
export async function playDemo(terminal: Terminal, { isFast, isAsking }: DemoOptions): Promise<number> {
  const bus = createBus({ source: "demo-agent" });
  const blocked: string[] = [];
  bus.tap({ dispatched: (event, { decision }) => void (decision?.verdict === "deny" && blocked.push(event.id)) });
  const line = connectToHub(bus, { source: "demo-agent" });
  addGuards(bus);
  const person = isAsking && isAtTerminal(terminal) ? askPerson(terminal) : undefined;
  bus.setApprover(person?.approver ?? scriptedPerson);
  const session = { id: `demo-${randomBytes(3).toString("hex")}` };

  const isWatched = await attached(line);
  terminal.say(isWatched ? watchedText(session.id) : unwatchedText(bus, line));
  if (isAsking && person === undefined)
    terminal.say("Nobody can answer here: --ask needs a terminal. Ann, who is part of the script, answers.");
  terminal.print("A scripted agent. Each call goes through its guards; below it stands what they said.\n");
  await playScript(createStage(bus, terminal, isFast), session);
  person?.close();
  if (person?.wasAsked === false) terminal.say("\nNobody was asked: guards of the hub had denied the call already.");
  const { acked, accepted, spooled } = await line.close(CLOSE_MS);
  terminal.print("");
  if (person?.isInterrupted === true) return INTERRUPTED;
  if (!isWatched) return EXIT.ok;
  terminal.say(`The hub has ${acked} of ${countText(accepted, "event")}. Look at them:`);
  for (const command of nextCommands(session.id, blocked[0])) terminal.say(`  ${terminal.paintTalk("bold", command)}`);
  if (!isAsking) terminal.say("To answer the guard yourself: hookline demo --ask");
  return acked + spooled === accepted ? EXIT.ok : EXIT.failed;
}

/** A hub that is there is reached in milliseconds; nobody waits for one that is not. */
async function attached(line: HubLine): Promise<boolean> {
  if (line.state === "off") return false;
  for (const end = Date.now() + ATTACH_MS; Date.now() < end && line.state === "connecting"; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  return line.state === "attached";
}

function watchedText(session: string): string {
  return `Attached to the hub as demo-agent, session ${session}. Watch it from another terminal: hookline tail`;
}

function unwatchedText({ isOff }: Bus, { state }: HubLine): string {
  if (isOff) return "Nobody watches and no guard is asked: HOOKLINE switches Hookline off. Run: unset HOOKLINE";
  if (state === "off") return "Nobody watches: HOOKLINE_FORWARD switches forwarding off. Run: unset HOOKLINE_FORWARD";
  return "No hub is running, so nobody watches; the agent runs all the same. To start one: hookline up --detach";
}

function nextCommands(session: string, blocked: string | undefined): string[] {
  const listing = ["hookline open", `hookline tail --no-follow -n 100 --session ${session}`, "hookline sessions"];
  return blocked === undefined ? listing : [...listing, `hookline show ${blocked}`];
}
