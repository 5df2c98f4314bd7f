import type { AgentDialect, Translated } from "../../agents/shared/definition.js";
import { hashOf } from "../approvals/hash-of.js";
import type { Sameness } from "./recent.js";
import type { AskedCall } from "./transforms.js";

const SAME_CALL_MS = 10_000;
const SAME_CONTENT_MS = 300;

/** Two deliveries of one call have one answer, and are one event. A call that looks otherwise is another, even under the same id: a model may give one twice. */
export function samenessOf(
  { dialect: door }: Pick<AskedCall, "dialect">,
  { id }: AgentDialect,
  { event, key, payload }: Translated,
): Sameness | undefined {
  if (key === undefined && event !== "tool:before") return undefined;
  const { session, cwd, tool } = payload as { readonly [field in "session" | "cwd" | "tool"]?: { readonly [field: string]: unknown } };
  const isCertain = typeof tool?.callId === "string";
  const content = hashOf(event, [cwd, tool?.name, tool?.input]);
  return {
    key: JSON.stringify([id, session?.id, event, key ?? tool?.callId, content]),
    door: door.id,
    isCertain,
    windowMs: isCertain ? SAME_CALL_MS : SAME_CONTENT_MS,
  };
}
