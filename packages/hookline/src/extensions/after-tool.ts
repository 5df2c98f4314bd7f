import type { HookEvent } from "@hookline/core";
import { isOutcome, readOutcomes } from "@hookline/core/internal";
import type { HandlerSource, HookSpec, SourceAnswer } from "./handler-source.js";

/**
 * The names that runtimes use for the hook after a tool that may replace the result. `tool:after` and the names of pure observers are not
 * among them.
 */
const NAMES = new Set(["PostToolUse", "postToolUse", "post_tool_use", "AfterTool", "AfterToolCall", "after_tool_call"]);
/** Calls that have a result but have not ended. */
const MAX_OPEN = 10_000;

/**
 * The hooks, and the events on which they are also registered. A closed hook that may not replace anything is refused there, like any other
 * without the permission.
 */
export function splitHooks<T extends Pick<HookSpec, "event" | "onFailure">>(
  hooks: readonly T[],
  permissions: readonly string[],
): readonly T[] {
  const mayReplace = permissions.includes("tools.transform");
  const isSplit = ({ event, onFailure }: T): boolean => NAMES.has(event.trim()) && (mayReplace || onFailure === "closed");
  return hooks.flatMap((hook) => (isSplit(hook) ? [hook, { ...hook, event: "tool:result" }] : [hook]));
}

/**
 * A hook for the end of a call runs where it can still act: it is also registered on `tool:result`, and its answer there counts. It
 * receives `tool:after` only for calls that never had a result. It sees each call once.
 */
export function splitAfterTool(source: HandlerSource, permissions: readonly string[]) {
  const open = new Map<string, number>();
  const hooks = splitHooks(source.hooks, permissions);
  /** Both registrations of those hooks, so that each sees a call once. */
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

/** Omits a result that can no longer be replaced. */
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
