import type { HookEvent } from "@hookline/core";
import { isOutcome, readOutcomes } from "@hookline/core/internal";
import type { HandlerSource, HookSpec, SourceAnswer } from "./handler-source.js";

/** What runtimes call the hook after a tool whose answer may be another result. `tool:after` and the names of mere observers are not among them. */
const NAMES = new Set(["PostToolUse", "postToolUse", "post_tool_use", "AfterTool", "AfterToolCall", "after_tool_call"]);
/** Calls that have a result and no end yet. */
const MAX_OPEN = 10_000;

/** Hooks with those that they are put on besides. One that is closed and may not replace anything is refused there, like any that lacks a permission. */
export function splitHooks<T extends Pick<HookSpec, "event" | "onFailure">>(
  hooks: readonly T[],
  permissions: readonly string[],
): readonly T[] {
  const mayReplace = permissions.includes("tools.transform");
  const isSplit = ({ event, onFailure }: T): boolean => NAMES.has(event.trim()) && (mayReplace || onFailure === "closed");
  return hooks.flatMap((hook) => (isSplit(hook) ? [hook, { ...hook, event: "tool:result" }] : [hook]));
}

/**
 * A hook for the end of a call is asked where it can still act: it is put on `tool:result` as well, and what it says there is its answer. It
 * hears of `tool:after` for calls that never had a result. Each call is shown to it once.
 */
export function splitAfterTool(source: HandlerSource, permissions: readonly string[]) {
  const open = new Map<string, number>();
  const hooks = splitHooks(source.hooks, permissions);
  /** Both halves of those hooks: for them alone, one call is shown once. */
  const halves = new Set(hooks.filter((hook) => NAMES.has(hook.event.trim()) || !source.hooks.includes(hook)));

  function begin(key: string): void {
    const [oldest] = open.keys();
    if (open.size >= MAX_OPEN && oldest !== undefined) open.delete(oldest);
    open.set(key, (open.get(key) ?? 0) + 1);
  }

  function end(key: string): boolean {
    const count = open.get(key) ?? 0;
    if (count <= 1) open.delete(key);
    else open.set(key, count - 1);
    return count > 0;
  }

  return {
    hooks,
    handle(event: HookEvent, hook: HookSpec): SourceAnswer | Promise<SourceAnswer> {
      if (!halves.has(hook)) return source.handle(event, hook);
      if (event.name === "tool:result") begin(keyOf(event));
      else if (event.name === "tool:after" && end(keyOf(event))) return undefined;
      const answer = source.handle(event, hook);
      return event.name === "tool:after" ? tooLate(answer) : answer;
    },
  };
}

/** Without a result that nothing can be replaced by any more. */
async function tooLate(given: SourceAnswer | Promise<SourceAnswer>): Promise<SourceAnswer> {
  const answer = await given;
  const parts = readOutcomes(answer);
  const isReplacing = (part: unknown): boolean => isOutcome(part) && part.kind === "replace";
  return parts.some(isReplacing) ? (parts.filter((part) => !isReplacing(part)) as unknown as SourceAnswer) : answer;
}

function keyOf({ payload, session }: HookEvent): string {
  const { tool } = Object(payload) as { readonly tool?: { readonly callId?: unknown; readonly name?: unknown; readonly input?: unknown } };
  return JSON.stringify([session?.id, tool?.callId ?? [tool?.name, tool?.input]]);
}
