import { type Fix, HookError } from "@hookline/core";
import { fixText } from "@hookline/core/internal";
import type { Refusal } from "../parts.js";
import type { ContentFault } from "./read-call.js";

const DOCTOR: Fix = { run: "hookline doctor" };

/** For the person and for the model, which can do something about it. */
export function reasonFor({ message, fix = "Send it again with simpler content, or do it yourself." }: ContentFault): string {
  return `Hookline cannot judge this call, so it is denied. ${message} ${fixText(fix)}`;
}

/** Why a call cannot be judged, from whatever went wrong. */
export function faultOf(error: unknown): ContentFault {
  const { code, reason } = error as Partial<Refusal>;
  if (typeof code === "string" && typeof reason === "string") return { code: code as ContentFault["code"], message: reason };
  if (error instanceof HookError) return { code: error.code, message: error.message, fix: error.fix ?? DOCTOR };
  return { code: "HL_HUB_FAILED", message: "The hub failed at this call, and its log says why.", fix: DOCTOR };
}
