import type { ApprovalReply, ApprovalRequest, Approver, PayloadOf } from "@hookline/core";
import { inertJson, inertText } from "@hookline/core/internal/text";
import { createPrompt, type Prompt } from "../prompt.js";
import type { Terminal } from "../terminal.js";
import { userName } from "../user-name.js";

/** The person at the terminal, who answers the guards' questions. */
export interface PersonAtTerminal {
  readonly approver: Approver;
  readonly isInterrupted: boolean;
  /** Whether a guard asked anything. */
  readonly wasAsked: boolean;
  close(): void;
}

/** A missing answer denies, without a person's name. */
const NO_ANSWER: ApprovalReply = { verdict: "deny", reason: "There was no answer." };

type ToolCall = PayloadOf<"tool:before">;

export function isAtTerminal({ stdin, isInteractive }: Terminal): boolean {
  return isInteractive && stdin.isTTY === true;
}

export function askPerson(terminal: Terminal): PersonAtTerminal {
  const prompt = createPrompt(terminal.stdin, process.stderr);
  let wasAsked = false;
  return {
    async approver(request, signal) {
      wasAsked = true;
      const giveUp = (): void => prompt.close();
      signal.addEventListener("abort", giveUp, { once: true });
      try {
        return await answerOf(request, prompt, terminal);
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    },
    get isInterrupted() {
      return prompt.isInterrupted;
    },
    get wasAsked() {
      return wasAsked;
    },
    close: () => prompt.close(),
  };
}

/** Only an explicit yes allows. An edited call goes through every guard again, which may ask again. */
async function answerOf({ asks, payload }: ApprovalRequest, prompt: Prompt, { say }: Terminal): Promise<ApprovalReply> {
  for (const { by, reason } of asks) say(`  ${inertText(by)} asks: ${inertText(reason ?? "May this call run?")}`);
  const command = commandIn(payload);
  const what = command === undefined ? inertJson(JSON.stringify(payload)) : `"${inertText(command)}"`;
  for (;;) {
    const answer = await prompt.ask(`  Let ${what} run? [y]es, [n]o${command === undefined ? "" : ", [e]dit"}: `);
    if (answer === undefined) return NO_ANSWER;
    const word = answer.trim().toLowerCase();
    if (word === "y" || word === "yes") return { verdict: "allow", by: userName() };
    if (word === "n" || word === "no") return { verdict: "deny", by: userName(), reason: "Not now." };
    if (command !== undefined && (word === "e" || word === "edit")) return edited(payload as ToolCall, await prompt.ask("  Run instead: "));
    say("  Type one of these letters, then Enter. Ctrl-C denies.");
  }
}

/** A hub's rules may ask about calls without a command. */
function commandIn(payload: unknown): string | undefined {
  const command = (payload as Partial<ToolCall>).tool?.input?.command;
  return typeof command === "string" ? command : undefined;
}

function edited(call: ToolCall, command: string | undefined): ApprovalReply {
  if (command === undefined || command.trim() === "") return NO_ANSWER;
  const tool = { ...call.tool, input: { ...call.tool.input, command: command.trim() } };
  return { verdict: "allow", by: userName(), reason: "With another command.", payload: { ...call, tool } };
}
