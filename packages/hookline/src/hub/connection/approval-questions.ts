import { type ApprovalRequest, type Ask, HookError } from "@hookline/core";
import { isApprovalId, newApprovalId, readActor } from "@hookline/core/internal";
import type { ApprovedFrame } from "@hookline/core/internal/wire";
import type { Asker } from "../approvals/approval-row.js";
import { type Approvals, CONNECTION_LOST } from "../approvals/approvals.js";
import { withContext } from "../policy/payload-context.js";

/** Questions of one process that may wait for a person at a time. */
const MAX_OPEN = 100;

interface Frame {
  readonly [key: string]: unknown;
}

/** Where one process asks a person. When it goes away, nothing of it waits any longer. */
export function createApprovalQuestions(approvals: Approvals, tell: (reply: ApprovedFrame) => void) {
  const open = new Map<string, AbortController>();

  async function ask(frame: Frame, who: Asker): Promise<void> {
    const request = readRequest(frame);
    // As the process calls it: the answer goes back under that id.
    const id = String(frame.id);
    if (request === undefined || open.has(id)) return;
    if (open.size >= MAX_OPEN) return tell({ type: "approved", id, error: "HL_LIMIT" });
    const abort = new AbortController();
    open.set(id, abort);
    try {
      const asker: Asker = { ...who, cwd: folderOf(request, who), ...(request.id === id && { asksAgain: true }) };
      const reply = await approvals.approverFor(asker)(request, abort.signal);
      tell({ type: "approved", id, ...reply });
    } catch {
      if (!abort.signal.aborted) tell({ type: "approved", id, error: "HL_APPROVER_FAILED" });
    } finally {
      open.delete(id);
    }
  }

  return {
    ask(frame: Frame, who: Asker): void {
      void ask(frame, who);
    },
    takeBack({ id, error }: Frame): void {
      if (typeof id === "string") open.get(id)?.abort(takenBack(error));
    },
    close(): void {
      for (const abort of open.values()) abort.abort(CONNECTION_LOST);
    },
  };
}

/** A person is shown fewer; more are not even read. */
const MAX_ASKS = 100;

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= 256;
}

/** Why the process no longer waits, by the code that it gives. */
function takenBack(code: unknown): HookError {
  if (code === "HL_APPROVAL_TIMEOUT") return new HookError(code, "No person answered in time.", { failure: "timeout" });
  return new HookError("HL_CANCELLED", "The caller cancelled.", { failure: "cancelled" });
}

/** Nothing for what is not a question. A process of an earlier version gives another kind of id, and does not say what kind of actor asks. */
function readRequest(frame: Frame): ApprovalRequest | undefined {
  const { id, event, eventId, payload, session, asks, expiresAt } = frame;
  if (!isName(id) || !isName(event) || payload === undefined) return undefined;
  const { id: sessionId, parentId } = (session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  const { by, actor, reason } = readAsk(frame) ?? NAMELESS;
  return {
    id: isApprovalId(id) ? id : newApprovalId(),
    event,
    eventId: typeof eventId === "string" ? eventId.slice(0, 256) : "",
    payload,
    session: typeof sessionId === "string" ? { id: sessionId, ...(typeof parentId === "string" && { parentId }) } : undefined,
    reason,
    by,
    actor,
    asks: Array.isArray(asks) ? asks.slice(0, MAX_ASKS).flatMap((ask) => readAsk(ask) ?? []) : [],
    expiresAt: Number.isFinite(expiresAt) ? (expiresAt as number) : Date.now(),
  };
}

const NAMELESS: Ask = { by: "a guard", actor: { kind: "guard", name: "a guard" }, reason: undefined };

function readAsk(given: unknown): Ask | undefined {
  const { by, actor, reason } = Object(given) as { readonly [Field in keyof Ask]?: unknown };
  const known = readActor(actor) ?? readActor({ kind: "guard", name: by });
  return known && { by: known.name, actor: known, reason: typeof reason === "string" ? reason : undefined };
}

/** As the hub's guards see it: what is allowed for good is allowed there. */
function folderOf({ payload }: ApprovalRequest, { cwd: known }: Asker): string | undefined {
  const { cwd } = Object(withContext(payload, { cwd: known })) as { readonly cwd?: unknown };
  return typeof cwd === "string" ? cwd : undefined;
}
