import type { AgentDialect, Translated } from "../../agents/shared/definition.js";
import { hashOf } from "../approvals/hash-of.js";
import type { AskedCall } from "./agent-call.js";

const MAX_KEPT = 10_000;

/** What identifies repeated deliveries of a call, and how long after the first answer. */
export interface Sameness {
  readonly key: string;
  readonly windowMs: number;
  /** The agent whose hook reported it. */
  readonly hookOf: string;
  /** The agent has given the call an id. Without an id, two reports by one hook are two equal calls. */
  readonly isCertain: boolean;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly hooksOf: Set<string>;
  settled?: { readonly answer: T };
}

/**
 * Handles each call once: a second delivery of a call, during the first or shortly after, gets the first's answer, as long as that is still
 * valid.
 */
export function createRecent<T>(holds: (answer: T) => boolean = () => true): {
  once(same: Sameness | undefined, run: () => Promise<T>): Promise<T>;
} {
  const kept = new Map<string, Kept<T>>();

  function keep({ key, windowMs, hookOf }: Sameness, answer: Promise<T>): void {
    const entry: Kept<T> = { answer, hooksOf: new Set([hookOf]) };
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(key, entry);
    const forget = (): void => void (kept.get(key) === entry && kept.delete(key));
    answer.then((settled) => {
      entry.settled = { answer: settled };
      setTimeout(forget, windowMs).unref();
    }, forget);
  }

  return {
    once(same, run) {
      if (same === undefined) return run();
      const found = kept.get(same.key);
      const known = found?.settled === undefined || holds(found.settled.answer) ? found : undefined;
      if (known !== undefined && (same.isCertain || !known.hooksOf.has(same.hookOf))) {
        known.hooksOf.add(same.hookOf);
        return known.answer;
      }
      const answer = run();
      keep(same, answer);
      return answer;
    },
  };
}

const SAME_CALL_MS = 10_000;
const SAME_CONTENT_MS = 300;

/**
 * Two deliveries of one call have one answer and are one event. A call with different content is another call, even under the same id: a
 * model may use an id twice.
 */
export function samenessOf(
  { dialect: { id: hookOf } }: Pick<AskedCall, "dialect">,
  { id }: AgentDialect,
  { event, key, payload }: Translated,
): Sameness | undefined {
  if (key === undefined && event !== "tool:before") return undefined;
  const { session, cwd, tool } = payload as { readonly [field in "session" | "cwd" | "tool"]?: { readonly [field: string]: unknown } };
  const isCertain = typeof tool?.callId === "string";
  const content = hashOf(event, [cwd, tool?.name, tool?.input]);
  return {
    key: JSON.stringify([id, session?.id, event, key ?? tool?.callId, content]),
    hookOf,
    isCertain,
    windowMs: isCertain ? SAME_CALL_MS : SAME_CONTENT_MS,
  };
}
