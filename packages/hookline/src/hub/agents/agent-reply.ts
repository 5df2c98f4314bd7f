import { withheld } from "@hookline/core/internal";
import { inertLines } from "@hookline/core/internal/text";
import { encodeReply } from "../../agents/client/reply-format.js";
import type { AgentDecision, HookReply } from "../../agents/shared/definition.js";
import { inertDecision } from "../decisions/inert-decision.js";
import type { AskedCall } from "./agent-call.js";

/** The agent prints the text of a reply on its terminal, so control characters are escaped. The record uses the decision itself. */
export function replyTo({ dialect, native, asked }: AskedCall, decision: AgentDecision): HookReply {
  const reply = dialect.reply(native, inertDecision(decision), asked);
  return { ...reply, stderr: inertLines(reply.stderr) };
}

/** Throws `HL_LIMIT` for a reply that the agent's client would not accept: the agent would continue without one. */
export function checkLength(reply: HookReply): void {
  if (reply.stdout.length + reply.stderr.length > 1_000_000) encodeReply("", reply);
}

/** Copilot CLI hangs on more than a megabyte, and shows its model the original on more than ten. Outputs of its own tools are smaller. */
const MAX_OUTPUT_BYTES = 900_000;

/** If the agent does not accept a new output, the model must not see the original. */
export function fitting(decision: AgentDecision, call: AskedCall): AgentDecision {
  if (hasRoom(replyTo(call, decision))) return decision;
  return { ...decision, output: { value: withheld("the new output is longer than agents accept") } };
}

/** Whether every agent accepts this length. */
export function hasRoom({ stdout, stderr }: HookReply): boolean {
  return Buffer.byteLength(stdout) + Buffer.byteLength(stderr) <= MAX_OUTPUT_BYTES;
}
