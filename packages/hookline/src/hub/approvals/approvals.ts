import { type Actor, type ApprovalReply, type Approver, HookError } from "@hookline/core";
import { replyOf, reportingApprover } from "@hookline/core/internal";
import type { OwnEvents } from "../ingest/own-events.js";
import type { Factor } from "../protect/settings.js";
import type { PendingApproval, ProcessRow } from "../protocol.js";
import { type AlwaysAllow, callIn } from "./always-allow.js";
import { type Asker, approvalRow } from "./approval-row.js";
import { rowWeight, WaitingLimits, weigh } from "./waiting-limits.js";

const LIST = { fix: { run: "hookline approvals" } };

/** Why a question is given up whose process is no longer connected. */
export const CONNECTION_LOST = new HookError("HL_CANCELLED", "The process that asked lost its connection.");

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
  /** How the person confirmed it under `hookline protect`. */
  readonly factor?: Factor | undefined;
  /** How the person gave it, as the hub knows it. */
  readonly given?: AnswerGiven;
  /** What the person allowed earlier, for every such call: then the policy answers, and not the person. */
  readonly policy?: string;
}

/** How an answer was given: where, and by which process. The hub knows it of the connection; nothing of it is what the sender says. */
export interface AnswerGiven {
  /**
   * `dashboard`: with a sign-in of the dashboard. `phone`: with one at its public address. `terminal`: by a process that a terminal controls.
   * `program`: by one without a terminal. `api`: with the operator's token, by a process of which the hub cannot tell that. `fleet`: on another
   * machine, with a signature.
   */
  readonly via: "dashboard" | "phone" | "terminal" | "program" | "api" | "fleet";
  /** What proved the person to the fleet. */
  readonly proof?: "key" | "passkey" | "hub";
  readonly process?: ProcessRow;
  /** When that process started, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** The address of another machine. */
  readonly address?: string;
}

export interface ApprovalsOptions {
  /** Told of each question and each answer, once, as events. */
  readonly tell: OwnEvents["approval"];
  /** Calls that need no question any more. Without it nothing can be allowed for good. */
  readonly always?: AlwaysAllow;
}

export interface Approvals {
  list(): readonly PendingApproval[];
  /** Some of them, the oldest first: `limit` at most, and as many as one answer can carry, but at least one. */
  page(limit: number, after?: number): ApprovalPage;
  /** The call that an answer is for. Throws `HL_APPROVAL_GONE` or `HL_APPROVAL_CHANGED`. */
  find(id: string, hash: string): PendingApproval;
  /** Throws `HL_APPROVAL_GONE`, `HL_APPROVAL_CHANGED`, or `HL_BAD_REQUEST` for what cannot be allowed for good; then nothing has happened. */
  answer(id: string, answer: ApprovalAnswer): void;
  /** For a decision: its questions are put to a person here. */
  approverFor(who: Asker): Approver;
  /** Told when the list is another; returns how to stop. */
  onChange(listener: () => void): () => void;
}

interface ApprovalPage {
  readonly approvals: readonly PendingApproval[];
  /** How many wait, on all pages. */
  readonly waiting: number;
  /** For the next page, if there is one. */
  readonly cursor?: number;
}

/** What one page may weigh: an answer is written in one piece, and nothing else in the hub happens meanwhile. */
const MAX_PAGE_CHARS = 1_000_000;

/** A question that waits. More than one asks it while a process that has lost its connection asks again over the next. */
interface Waiting {
  readonly row: PendingApproval;
  /** In the order of arrival. */
  readonly number: number;
  readonly weight: number;
  readonly askers: Set<(reply: ApprovalReply) => void>;
  leave(): void;
}

/** A question that was asked: its id stands for no other question, and a process that asks it again gets the answer that was given. */
interface Asked {
  readonly key: string;
  reply?: ApprovalReply;
}

const MAX_ASKED = 10_000;

/** Calls that wait for a person, for as long as those that ask wait. Of two answers the first counts. */
export function createApprovals({ tell, always }: ApprovalsOptions): Approvals {
  const waiting = new Map<string, Waiting>();
  const asked = new Map<string, Asked>();
  const limits = new WaitingLimits();
  const listeners = new Set<() => void>();
  let arrived = 0;
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };

  /** A process that reports its questions itself is the source here, too: it makes no difference which report is stored. */
  function tellQuestion(row: PendingApproval, { source, asksAgain }: Asker): void {
    const payload = { ...(row.session !== undefined && { session: row.session }), approval: { ...row, at: "hub" } };
    tell("approval:requested", payload, asksAgain === true ? source : undefined);
  }

  function tellReply({ session, ...row }: PendingApproval, reply: ApprovalReply | HookError, more: object = {}): void {
    const approval = { ...replyOf(row, reply), hash: row.hash, ...more };
    tell("permission:replied", { ...(session !== undefined && { session }), approval });
  }

  /** Throws where the id is that of another question: an answer must not be for something else than what was shown under it. */
  function admit({ id, hash, eventId, session, reason, by, asks }: PendingApproval, { source }: Asker): Asked {
    const key = JSON.stringify([source?.instance, hash, eventId, session, reason, by, asks]);
    const known = asked.get(id);
    if (known !== undefined) {
      if (known.key === key) return known;
      throw new HookError("HL_BAD_REQUEST", `The approval id "${id}" was used for another question. Give each question an id of its own.`);
    }
    const [oldest] = asked.keys();
    if (asked.size >= MAX_ASKED && oldest !== undefined) asked.delete(oldest);
    const made: Asked = { key };
    asked.set(id, made);
    return made;
  }

  function enter(row: PendingApproval, { source }: Asker): Waiting {
    const weight = rowWeight(row);
    return { row, weight, number: ++arrived, askers: new Set(), leave: limits.enter(weight, source) };
  }

  function put(row: PendingApproval, signal: AbortSignal, who: Asker): Promise<ApprovalReply> {
    const known = waiting.get(row.id);
    const entry = known ?? enter(row, who);
    if (known === undefined) tellQuestion(row, who);
    return new Promise((resolve, reject) => {
      const settle = (reply: ApprovalReply): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(reply);
      };
      const giveUp = (): void => {
        const { reason } = signal;
        entry.askers.delete(settle);
        if (entry.askers.size === 0) {
          end(entry);
          if (reason !== CONNECTION_LOST || who.asksAgain !== true) tellReply(row, asError(reason));
        }
        reject(reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      entry.askers.add(settle);
      waiting.set(row.id, entry);
      changed();
    });
  }

  function end({ row, leave }: Waiting): void {
    waiting.delete(row.id);
    leave();
    changed();
  }

  function find(id: string, hash: string): Waiting {
    const found = waiting.get(id);
    if (found === undefined)
      throw new HookError("HL_APPROVAL_GONE", `Nothing waits under "${id}": it was answered, or its process waits no longer.`, LIST);
    if (hash !== found.row.hash)
      throw new HookError("HL_APPROVAL_CHANGED", `What waits under "${id}" is not what this answer was for.`, LIST);
    return found;
  }

  function remember(row: PendingApproval, by: string): void {
    if (always === undefined || callIn(row) === undefined)
      throw new HookError("HL_BAD_REQUEST", `"${row.event}" is not a tool call, and cannot be allowed for good. Answer without "always".`);
    always.add(row, by);
  }

  /** Told of, and kept for a process that asks again because it did not hear it. */
  function settled(row: PendingApproval, reply: ApprovalReply, more: object): ApprovalReply {
    tellReply(row, reply, more);
    const known = asked.get(row.id);
    if (known !== undefined) known.reply = reply;
    return reply;
  }

  return {
    list: () => [...waiting.values()].map(({ row }) => row),
    page(limit, after = 0) {
      const left = [...waiting.values()].filter(({ number }) => number > after);
      const page: Waiting[] = [];
      let chars = 0;
      for (const entry of left) {
        chars += entry.weight;
        if (page.length > 0 && (chars > MAX_PAGE_CHARS || page.length >= limit)) break;
        page.push(entry);
      }
      const cursor = page.length < left.length ? page.at(-1)?.number : undefined;
      return { approvals: page.map(({ row }) => row), waiting: waiting.size, ...(cursor !== undefined && { cursor }) };
    },
    find: (id, hash) => find(id, hash).row,
    answer(id, { verdict, hash, reason, by = "a person", payload, always: isForGood = false, factor, given, policy }) {
      const found = find(id, hash);
      if (isForGood) remember(found.row, by);
      const actor: Actor =
        policy === undefined ? { kind: "person", name: by, at: "hub" } : { kind: "policy", name: by, owner: policy, at: "hub" };
      const reply = { verdict, by, actor, ...(reason !== undefined && { reason }), ...(payload !== undefined && { payload }) };
      settled(found.row, reply, {
        isEdited: payload !== undefined,
        ...((isForGood || policy !== undefined) && { always: true }),
        ...(factor && { factor }),
        ...(given !== undefined && { given }),
      });
      end(found);
      for (const settle of found.askers) settle(reply);
    },
    approverFor: (who) =>
      reportingApprover((request, signal) => {
        // Before anything is computed of it.
        weigh([request.payload, who.asked]);
        const row = approvalRow(request, who);
        const { reply } = admit(row, who);
        if (reply !== undefined) return reply;
        signal.throwIfAborted();
        const known = always?.find(row);
        if (known !== undefined) {
          const actor: Actor = { kind: "policy", name: known.allowedBy, owner: "always-allow", at: "hub" };
          tellQuestion(row, who);
          return settled(row, { verdict: "allow", by: known.allowedBy, actor, reason: "always allowed" }, { always: true });
        }
        return put(row, signal, who);
      }),
    onChange(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

/** Why the process waits for the answer no longer. */
function asError(reason: unknown): HookError {
  return reason instanceof HookError ? reason : new HookError("HL_CANCELLED", "The caller cancelled.");
}
