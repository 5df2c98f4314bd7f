import { type ApprovalReply, type Approver, HookError } from "@hookline/core";
import type { PendingApproval } from "../protocol.js";
import { type AlwaysAllow, callIn } from "./always-allow.js";
import { type Asker, approvalRow } from "./approval-row.js";
import { WaitingRoom, weigh } from "./waiting-room.js";

const LIST = { fix: { run: "hookline approvals" } };
/** A person's answer. */
export interface ApprovalAnswer {
  readonly verdict: "allow" | "deny";
  /** Of what was shown. */
  readonly hash: string;
  readonly reason?: string;
  readonly by?: string;
  /** What shall run instead; every guard looks at it again. */
  readonly payload?: unknown;
  /** The same call, asked about by the same guard, is let through from now on. */
  readonly always?: boolean;
}

export interface ApprovalsOptions {
  /** Told of every question and every answer, as events. */
  readonly tell: (event: "approval:requested" | "permission:replied", payload: object) => void;
  /** What nobody is asked about again. Without it nothing can be allowed for good. */
  readonly always?: AlwaysAllow;
}

export interface Approvals {
  list(): readonly PendingApproval[];
  /** Throws `HL_APPROVAL_GONE`, `HL_APPROVAL_CHANGED`, or `HL_BAD_REQUEST` for what cannot be allowed for good; then nothing has happened. */
  answer(id: string, answer: ApprovalAnswer): void;
  /** For a decision: its questions are put to a person here. */
  approverFor(who: Asker): Approver;
  /** Told when the list is another; returns how to stop. */
  onChange(listener: () => void): () => void;
}

interface Waiting {
  readonly row: PendingApproval;
  readonly settle: (reply: ApprovalReply) => void;
}

/** Calls that wait for a person, for as long as whoever asked waits. Of two answers the first counts. */
export function createApprovals({ tell, always }: ApprovalsOptions): Approvals {
  const waiting = new Map<string, Waiting>();
  const room = new WaitingRoom();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };

  function put(row: PendingApproval, signal: AbortSignal, leave: () => void): Promise<ApprovalReply> {
    return new Promise((settle, give) => {
      const end = (): void => {
        waiting.delete(row.id);
        leave();
        signal.removeEventListener("abort", giveUp);
        changed();
      };
      const giveUp = (): void => {
        end();
        const reason: unknown = signal.reason;
        tell("permission:replied", {
          session: row.session,
          approval: { id: row.id, event: row.event, verdict: "deny", cause: codeOf(reason) },
        });
        give(reason);
      };
      if (signal.aborted) {
        leave();
        return give(signal.reason);
      }
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.set(row.id, {
        row,
        settle(reply) {
          end();
          settle(reply);
        },
      });
      changed();
    });
  }

  function remember(row: PendingApproval, by: string): void {
    if (always === undefined || callIn(row) === undefined)
      throw new HookError(
        "HL_BAD_REQUEST",
        `"${row.event}" is no call of a tool, and cannot be allowed for good. Answer without "always".`,
      );
    always.add(row, by);
  }

  return {
    list: () => [...waiting.values()].map(({ row }) => row),
    answer(id, { verdict, hash, reason, by = "a person", payload, always: isForGood = false }) {
      const found = waiting.get(id);
      if (found === undefined)
        throw new HookError("HL_APPROVAL_GONE", `Nothing waits under "${id}": it was answered, or nobody waits any more.`, LIST);
      if (hash !== found.row.hash)
        throw new HookError("HL_APPROVAL_CHANGED", `What waits under "${id}" is not what this answer was for.`, LIST);
      const { session, event } = found.row;
      if (isForGood) remember(found.row, by);
      const said = { verdict, by, ...(reason !== undefined && { reason }) };
      tell("permission:replied", {
        session,
        approval: { id, event, ...said, isEdited: payload !== undefined, ...(isForGood && { always: true }) },
      });
      found.settle({ ...said, ...(payload !== undefined && { payload }) });
    },
    approverFor(who) {
      return (request, signal) => {
        const weight = weigh([request.payload, who.asked]);
        const row = approvalRow(request, who);
        const known = always?.find(row);
        if (known !== undefined) {
          const said = { verdict: "allow" as const, by: known.allowedBy, reason: "always allowed" };
          tell("permission:replied", { session: row.session, approval: { id: row.id, event: row.event, ...said, always: true } });
          return said;
        }
        const leave = room.enter(weight, who.source);
        tell("approval:requested", { session: row.session, approval: row });
        return put(row, signal, leave);
      };
    },
    onChange(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

function codeOf(reason: unknown): string {
  return reason instanceof HookError ? reason.code : "HL_CANCELLED";
}
