import { withheld } from "@hookline/core/internal";
import { inertLines } from "@hookline/core/internal/text";
import { encodeReply } from "../../agents/client/reply-format.js";
import type { AgentDecision, HookReply } from "../../agents/shared/definition.js";
import { inertDecision } from "../decisions/inert-decision.js";
import type { AskedCall } from "./agent-call.js";

/** The agent shows the words of a reply on its terminal: nothing in them may act there. What is stored is made from the decision itself. */
export function replyTo({ dialect, native, asked }: AskedCall, decision: AgentDecision): HookReply {
  const reply = dialect.reply(native, inertDecision(decision), asked);
  return { ...reply, stderr: inertLines(reply.stderr) };
}

/** Throws `HL_LIMIT` for a reply that the agent's client would not take: it would go on without one. */
export function checkLength(reply: HookReply): void {
  if (reply.stdout.length + reply.stderr.length > 1_000_000) encodeReply("", reply);
}

/** Copilot CLI hangs over more than a megabyte, and over ten shows its model the original. Its own tools give less. */
const MAX_OUTPUT_BYTES = 900_000;

/** Another output that the agent would not take must not bring back the first one. */
export function fitting(decision: AgentDecision, call: AskedCall): AgentDecision {
  if (hasRoom(replyTo(call, decision))) return decision;
  return { ...decision, output: { value: withheld("the new output is longer than agents take") } };
}

/** Whether every agent takes as much. */
export function hasRoom({ stdout, stderr }: HookReply): boolean {
  return Buffer.byteLength(stdout) + Buffer.byteLength(stderr) <= MAX_OUTPUT_BYTES;
}
