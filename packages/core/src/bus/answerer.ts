import type { Actor } from "../catalog/actor.js";
import { HookError } from "../catalog/errors.js";
import type { ApprovalReply } from "./types.js";

/** The actor of calls that the bus itself denies: no answer came, the caller cancelled, or rewrites did not end. */
export const BUS_ACTOR: Actor = { kind: "policy", name: "bus" };

/** The actor that gave an answer: the bus itself if none came, else the one that the approver names. */
export function answererOf(reply: ApprovalReply | HookError): Actor {
  if (reply instanceof HookError) return BUS_ACTOR;
  const { by = "approver", actor } = reply;
  return actor ?? { kind: "person", name: by };
}
