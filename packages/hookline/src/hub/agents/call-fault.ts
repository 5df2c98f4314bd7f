import { type ErrorCode, type Fix, HookError } from "@hookline/core";
import { fixText } from "@hookline/core/internal";
import { type AgentDialect, canDo, type Translated } from "../../agents/shared/definition.js";
import type { Refusal } from "../parts.js";

/** Why the content of an agent's call cannot be judged. `message` is a sentence about the content: "The body is not JSON." */
export interface ContentFault {
  readonly code: ErrorCode;
  readonly message: string;
  /** What to do about it, if simpler content would not help. */
  readonly fix?: Fix;
}

const DOCTOR: Fix = { run: "hookline doctor" };

/** For the user and for the model, which can act on it. */
export function reasonFor({ message, fix = "Send it again with simpler content, or do it yourself." }: ContentFault): string {
  return `Hookline cannot judge this call, so it is denied. ${message} ${fixText(fix)}`;
}

/** Why a call cannot be judged, from any error. */
export function faultOf(error: unknown): ContentFault {
  const { code, reason } = error as Partial<Refusal>;
  if (typeof code === "string" && typeof reason === "string") return { code: code as ContentFault["code"], message: reason };
  if (error instanceof HookError) return { code: error.code, message: error.message, fix: error.fix ?? DOCTOR };
  return { code: "HL_HUB_FAILED", message: "The hub failed at this call, and its log says why.", fix: DOCTOR };
}

/** Fields of the payload are missing or have unexpected types: it comes from an unknown version, or was cut off. */
export function unreadableIn(dialect: AgentDialect, native: string, { payload: { unreadable } }: Translated): ContentFault | undefined {
  if (!Array.isArray(unreadable) || unreadable.length === 0 || !canDo(dialect, native, "block")) return undefined;
  const fields = unreadable.map((field) => `"${field}"`).join(", ");
  const message = `Fields of the call are missing or have a type that ${dialect.title} does not use: ${fields}.`;
  return { code: "HL_BAD_PAYLOAD", message, fix: DOCTOR };
}
