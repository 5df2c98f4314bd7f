import { withheld } from "@hookline/core/internal";
import { type AgentDialect, type HookReply, PASS } from "../shared/definition.js";

/** What a strict client answers without the hub, by the agent's name of the event. Events that are not listed cannot be blocked. */
export type Denials = { readonly [native: string]: HookReply };

const REASON =
  "Hookline could not ask its hub, and this agent is attached with --strict: nothing runs unseen. See: hookline doctor. Start the hub: hookline up";

/** The deny for every event that the agent lets a hook block, as the bytes that it expects. */
export function denialsOf(dialect: AgentDialect): Denials {
  const blockable = Object.entries(dialect.events).filter(([, { can, leftAlone }]) => can.includes("block") && leftAlone === undefined);
  const entries = blockable.map(([native]) => [native, denial(dialect, native)] as const);
  return Object.fromEntries(entries.filter(([, reply]) => reply !== undefined)) as Denials;
}

function denial(dialect: AgentDialect, native: string): HookReply | undefined {
  const asked = dialect.translate(native, {});
  // Blocking the end makes the agent continue: without a hub, it would never stop.
  if (dialect.events[native]?.event === "finish:before") return undefined;
  const reply = dialect.reply(native, { ...PASS, verdict: "deny", reason: REASON, payload: asked.payload }, asked);
  return reply.stdout === "" && reply.stderr === "" && reply.exitCode === 0 ? undefined : reply;
}

/** The pass at every event that can be blocked, for an agent that takes silence for a failure. Empty for the others. */
export function passesOf(dialect: AgentDialect): Denials {
  const replies = Object.keys(denialsOf(dialect)).map((native) => {
    const asked = dialect.translate(native, {});
    return [native, dialect.reply(native, { ...PASS, payload: asked.payload }, asked)] as const;
  });
  return Object.fromEntries(replies.filter(([, { stdout }]) => stdout !== ""));
}

/**
 * The events after which the agent hears nothing: none of its answers has an effect there, and it gets none. Not the event before a call: `attach --check`
 * shows by its answer that the hub is reached, also for an agent that runs every call.
 */
export function unheardOf(dialect: AgentDialect): readonly string[] {
  const { events, settingsChange } = dialect;
  return Object.keys(events).filter((native) => {
    const { event, can = [], leftAlone } = events[native] ?? {};
    if (event === "tool:before" || can.length > 0 || leftAlone !== undefined || native === settingsChange?.native) return false;
    const { stdout, stderr, exitCode } = dialect.reply(native, PASS, dialect.translate(native, {}));
    return stdout === "" && stderr === "" && exitCode === 0;
  });
}

/** What the model receives instead of an output that a closed transform should have seen. */
export const WITHHELD = withheld("the hub did not answer");

/** What a client answers after a call without the hub, while the hub's transforms of outputs are closed. */
export function withheldOf(dialect: AgentDialect): Denials {
  const after = Object.entries(dialect.events).filter(([, { can, leftAlone }]) => can.includes("replace") && leftAlone === undefined);
  return Object.fromEntries(after.map(([native]) => [native, withheldReply(dialect, native, {})] as const));
}

/** The same for one call, in the agent's format. */
export function withheldReply(dialect: AgentDialect, native: string, payload: unknown): HookReply {
  return dialect.reply(native, { ...PASS, output: { value: WITHHELD } }, dialect.translate(native, payload));
}
