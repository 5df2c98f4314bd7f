import { withheld } from "@hookline/core/internal";
import { type AgentDialect, type HookReply, PASS } from "../shared/definition.js";

/** What a strict client says by itself, by the agent's own name of the event. An event that is not here cannot be blocked. */
export type Denials = { readonly [native: string]: HookReply };

const REASON =
  "Hookline could not ask its hub, and this agent is attached with --strict: nothing runs unseen. See: hookline doctor. Start the hub: hookline up";

/** The deny of every event that the agent lets a hook block, in its own bytes. */
export function denialsOf(dialect: AgentDialect): Denials {
  const blockable = Object.entries(dialect.events).filter(([, { can, leftAlone }]) => can.includes("block") && leftAlone === undefined);
  const entries = blockable.map(([native]) => [native, denial(dialect, native)] as const);
  return Object.fromEntries(entries.filter(([, reply]) => reply !== undefined)) as Denials;
}

function denial(dialect: AgentDialect, native: string): HookReply | undefined {
  const asked = dialect.translate(native, {});
  // To block an end means to go on: without a hub, for ever.
  if (dialect.events[native]?.event === "finish:before") return undefined;
  const reply = dialect.reply(native, { ...PASS, verdict: "deny", reason: REASON, payload: asked.payload }, asked);
  return reply.stdout === "" && reply.stderr === "" && reply.exitCode === 0 ? undefined : reply;
}

/** What the model gets in place of an output that a closed transform would have had to see. */
export const WITHHELD = withheld("the hub did not answer");

/** What a client says by itself after a call that the hub was not asked about, while its transforms of outputs are closed. */
export function withheldOf(dialect: AgentDialect): Denials {
  const after = Object.entries(dialect.events).filter(([, { can, leftAlone }]) => can.includes("replace") && leftAlone === undefined);
  return Object.fromEntries(after.map(([native]) => [native, withheldReply(dialect, native, {})] as const));
}

/** The same for one call, as the agent tells of it. */
export function withheldReply(dialect: AgentDialect, native: string, payload: unknown): HookReply {
  return dialect.reply(native, { ...PASS, output: { value: WITHHELD } }, dialect.translate(native, payload));
}
