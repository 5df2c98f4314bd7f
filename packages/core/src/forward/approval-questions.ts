import type { ApprovalReply, ApprovalRequest, Approver, HookEvent } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import { type Frame, isOversize } from "../wire/frames.js";
import type { HubLink } from "./hub-link.js";
import { MAX_LINE_BYTES } from "./line-protocol.js";
import { wholePayloadText } from "./payload-text.js";
import { readHubActor } from "./remote-verdict.js";

interface Question {
  readonly id: string;
  readonly text: string;
  answer(reply: ApprovalReply): void;
  fail(error: HookError): void;
}

/** How long a hub that went away may take to come back, before whoever waits for a person is told no. */
const PATIENCE_MS = 10_000;

/** Questions to a person at the hub. Those a lost link leaves are asked again over the next. */
export class ApprovalQuestions {
  readonly #waiting = new Map<string, Question>();
  /** Answered at the hub, and told of there. */
  readonly #recorded = new Set<string>();
  #link: HubLink | undefined;
  #giveUp: NodeJS.Timeout | undefined;

  readonly approver: Approver = (request, signal) =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        signal.removeEventListener("abort", cancel);
        this.#waiting.delete(request.id);
      };
      const cancel = (): void => {
        end();
        this.#link?.write(`${JSON.stringify({ type: "unapprove", id: request.id })}\n`);
        reject(signal.reason);
      };
      const text = textOf(request);
      if (text === undefined) return reject(new HookError("HL_TOO_DEEP", "it is nested too deep to be shown whole."));
      const question: Question = {
        id: request.id,
        text,
        answer(reply) {
          end();
          resolve(reply);
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      if (this.#link === undefined) return reject(nobody());
      if (isOversize(question.text, MAX_LINE_BYTES)) return reject(new HookError("HL_FRAME_TOO_LARGE", "It is too large to be shown."));
      signal.addEventListener("abort", cancel, { once: true });
      this.#waiting.set(question.id, question);
      this.#link.write(question.text);
    });

  attach(link: HubLink): void {
    clearTimeout(this.#giveUp);
    this.#link = link;
    for (const { text } of this.#waiting.values()) link.write(text);
  }

  detach(): void {
    this.#link = undefined;
    this.#giveUp = setTimeout(() => this.close(), PATIENCE_MS).unref();
  }

  /** Whether the hub has recorded this answer, so that it need not be sent. Asked once for each. */
  hasRecorded({ name, payload }: HookEvent): boolean {
    if (this.#recorded.size === 0 || name !== "permission:replied") return false;
    const { approval } = Object(payload) as { readonly approval?: { readonly id?: unknown } };
    return this.#recorded.delete(approval?.id as string);
  }

  hear({ id, verdict, reason, by, actor, payload, error, isRecorded }: Frame): void {
    const question = typeof id === "string" ? this.#waiting.get(id) : undefined;
    if (question === undefined) return;
    if (verdict !== "allow" && verdict !== "deny")
      return question.fail(new HookError("HL_APPROVER_FAILED", `The hub could not ask a person: ${String(error)}.`));
    if (isRecorded === true) this.#recorded.add(question.id);
    question.answer({
      verdict,
      actor: readHubActor(actor) ?? { kind: "person", name: typeof by === "string" ? by : "approver", at: "hub" },
      ...(typeof reason === "string" && { reason }),
      ...(typeof by === "string" && { by }),
      ...(payload !== undefined && { payload }),
    });
  }

  close(): void {
    clearTimeout(this.#giveUp);
    for (const question of [...this.#waiting.values()]) question.fail(nobody());
  }
}

/** Secrets stay in: whoever decides must see what will run. */
function textOf({ payload, session, ...request }: ApprovalRequest): string | undefined {
  const text = wholePayloadText(payload);
  const { id: sessionId, parentId } = session ?? {};
  const place = typeof sessionId === "string" ? { id: sessionId, ...(typeof parentId === "string" && { parentId }) } : undefined;
  const head = JSON.stringify({ type: "approve", ...request, session: place });
  return text === undefined ? undefined : `${head.slice(0, -1)},"payload":${text}}\n`;
}

function nobody(): HookError {
  return new HookError("HL_HUB_UNREACHABLE", "no hub is there to ask a person", { fix: { run: "hookline up" } });
}
