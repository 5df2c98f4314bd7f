import type { ApprovalReply, ApprovalRequest, Approver } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import { encodeJson, lossText } from "../text/encode-json.js";
import { Correlator } from "../wire/correlator.js";
import { readHubActor } from "../wire/decision-summary.js";
import { type Frame, isOversize } from "../wire/frames.js";
import { MAX_LINE_BYTES } from "../wire/hub-protocol.js";
import type { HubLink } from "./hub-link.js";

interface Question {
  readonly id: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** How long a hub that went away may take to come back, before a question that waits for a person is denied. */
const PATIENCE_MS = 10_000;
/** Of bytes in a payload: a person reads them. */
const MAX_BYTES = 64 * 1024;

/** Questions to a person at the hub. Those a lost link leaves are asked again over the next. */
export class ApprovalQuestions {
  readonly #correlator = new Correlator<Question, ApprovalReply>({
    cancelled: ({ id }, reason) => {
      const error = reason instanceof HookError ? reason.code : undefined;
      this.#link?.write(`${JSON.stringify({ type: "unapprove", id, error })}\n`);
      return reason;
    },
  });
  #link: HubLink | undefined;
  #giveUp: NodeJS.Timeout | undefined;

  readonly approver: Approver = async (request, signal) => {
    const text = textOf(request);
    const link = this.#link;
    if (link === undefined) throw nobody();
    if (isOversize(text, MAX_LINE_BYTES)) throw new HookError("HL_FRAME_TOO_LARGE", "It is too large to be shown.");
    return this.#correlator.ask({ id: request.id, text, signal }, () => link.write(text));
  };

  attach(link: HubLink): void {
    clearTimeout(this.#giveUp);
    this.#link = link;
    for (const { text } of this.#correlator.requests()) link.write(text);
  }

  detach(): void {
    this.#link = undefined;
    this.#giveUp = setTimeout(() => this.close(), PATIENCE_MS).unref();
  }

  hear({ id, verdict, reason, by, actor, payload, error }: Frame): void {
    if (this.#correlator.find(id) === undefined) return void this.#correlator.ignore(id);
    if (verdict !== "allow" && verdict !== "deny")
      return void this.#correlator.fail(id, new HookError("HL_APPROVER_FAILED", `The hub could not ask a person: ${String(error)}.`));
    this.#correlator.answer(id, {
      verdict,
      actor: readHubActor(actor) ?? { kind: "person", name: typeof by === "string" ? by : "approver", at: "hub" },
      ...(typeof reason === "string" && { reason }),
      ...(typeof by === "string" && { by }),
      ...(payload !== undefined && { payload }),
    });
  }

  close(): void {
    clearTimeout(this.#giveUp);
    this.#correlator.failAll(nobody);
  }
}

/** Secrets stay in: the person who decides must see what will run, and all of it. */
function textOf({ payload, session, ...request }: ApprovalRequest): string {
  const { text, lost } = encodeJson(payload, { maxBytes: MAX_BYTES });
  if (lost.length > 0) throw new HookError("HL_NOT_WHOLE", `it cannot be shown in full: it has ${lossText(lost)}`);
  const { id: sessionId, parentId } = session ?? {};
  const place = typeof sessionId === "string" ? { id: sessionId, ...(typeof parentId === "string" && { parentId }) } : undefined;
  const head = JSON.stringify({ type: "approve", ...request, session: place });
  return `${head.slice(0, -1)},"payload":${text}}\n`;
}

function nobody(): HookError {
  return new HookError("HL_HUB_UNREACHABLE", "no hub is there to ask a person", { fix: { run: "hookline up" } });
}
