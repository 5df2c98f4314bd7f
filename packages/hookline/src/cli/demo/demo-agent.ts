import { setTimeout as sleep } from "node:timers/promises";
import type { Bus, Decision, SessionRef, ToolRun, TrailStep } from "@hookline/core";
import type { Terminal } from "../terminal.js";

/** Runs the steps of the script on the bus and prints what happens. */
export interface DemoAgent {
  readonly bus: Bus;
  pause(ms: number): Promise<void>;
  /** A heading or a remark. */
  tell(line: string): void;
  call(session: SessionRef, command: string, what: string): Promise<ToolRun>;
  speak(session: SessionRef, text: string): Promise<void>;
}

const WORD_MS = 40;

export function createDemoAgent(bus: Bus, terminal: Terminal, isFast: boolean): DemoAgent {
  const { print, paint } = terminal;
  let calls = 0;
  const pause = async (ms: number) => {
    // Even without pauses, the forwarder gets a turn to send its queue between events.
    await sleep(isFast ? 0 : ms);
  };
  return {
    bus,
    pause,
    tell: print,
    async call(session, command, what) {
      calls += 1;
      print(`\n${paint("bold", `$ ${command}`)}   ${paint("dim", what)}`);
      await pause(350);
      const tool = { name: "bash", callId: `call-${calls}`, input: { command } };
      const run = await bus.runTool({ session, tool }, (input) => `would run: ${input.command}`);
      for (const step of run.decision.trail) print(stepLine(step, terminal));
      print(`  ${summary(run, terminal)}`);
      await pause(250);
      return run;
    },
    async speak(session, text) {
      bus.emit("message:start", { session });
      for (const word of text.split(/(?<= )/)) {
        bus.emit("message:delta", { session, delta: word });
        await pause(WORD_MS);
      }
      bus.emit("message:complete", { session, message: text });
      print(`\n${paint("cyan", text)}`);
    },
  };
}

function stepLine({ actor, round, action, reason = "" }: TrailStep, { paint }: Terminal): string {
  const why = [round > 0 ? "looked again" : "", reason].filter((part) => part !== "").join(": ");
  return `  ${actor.name.padEnd(14)}${paint("dim", action.padEnd(10))}${why}`.trimEnd();
}

function summary({ status, output, error, decision }: ToolRun, { paint }: Terminal): string {
  if (status === "blocked") return paint("red", `=> blocked by ${decision.by}: ${error}`);
  return paint("green", `=> ${howAllowed(decision)}; ${output}`);
}

function howAllowed({ modified, verdict, by }: Decision): string {
  if (modified) return "rewritten and allowed";
  return verdict === "allow" ? `allowed by ${by}` : "allowed";
}
