import type { ApprovalRequest } from "@hookline/core";
import type { LineReply } from "@hookline/core/internal/wire";
import type { Asker } from "../approvals/approval-row.js";
import type { Approvals } from "../approvals/approvals.js";
import { withContext } from "../policy/payload-context.js";

/** Questions of one process that may wait for a person at a time. */
const MAX_OPEN = 100;

interface Frame {
  readonly [key: string]: unknown;
}

/** Where one process asks a person. When it goes away, nothing of it waits any longer. */
export function createApprovalDesk(approvals: Approvals, tell: (reply: LineReply) => void) {
  const open = new Map<string, AbortController>();

  async function ask(frame: Frame, who: Asker): Promise<void> {
    const request = readRequest(frame);
    if (request === undefined || open.has(request.id)) return;
    const { id } = request;
    if (open.size >= MAX_OPEN) return tell({ type: "approved", id, error: "HL_LIMIT" });
    const abort = new AbortController();
    open.set(id, abort);
    try {
      const reply = await approvals.approverFor({ ...who, cwd: folderOf(request, who) })(request, abort.signal);
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
    takeBack({ id }: Frame): void {
      if (typeof id === "string") open.get(id)?.abort();
    },
    close(): void {
      for (const abort of open.values()) abort.abort();
    },
  };
}

function readRequest({ id, event, payload, session, reason, by, asks, expiresAt }: Frame): ApprovalRequest | undefined {
  if (typeof id !== "string" || id.length > 256 || typeof event !== "string" || payload === undefined) return undefined;
  const { id: sessionId, parentId } = (session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  return {
    id,
    event,
    payload,
    session: typeof sessionId === "string" ? { id: sessionId, ...(typeof parentId === "string" && { parentId }) } : undefined,
    reason: typeof reason === "string" ? reason : undefined,
    by: typeof by === "string" ? by : "a guard",
    asks: Array.isArray(asks) ? asks.filter(isAsk) : [],
    expiresAt: Number.isFinite(expiresAt) ? (expiresAt as number) : Date.now(),
  };
}

/** As the hub's guards see it: what is allowed for good is allowed there. */
function folderOf({ payload }: ApprovalRequest, { cwd: known }: Asker): string | undefined {
  const { cwd } = Object(withContext(payload, { cwd: known })) as { readonly cwd?: unknown };
  return typeof cwd === "string" ? cwd : undefined;
}

function isAsk(value: unknown): value is ApprovalRequest["asks"][number] {
  const { by, reason } = Object(value) as { readonly by?: unknown; readonly reason?: unknown };
  return typeof by === "string" && (reason === undefined || typeof reason === "string");
}
