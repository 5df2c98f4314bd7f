import type { ApprovalRequest } from "../bus/types.js";
import type { GuardWords } from "./line-protocol.js";

type Asking = Pick<ApprovalRequest, "by" | "reason" | "asks">;

/** Between the hub's answer and the question to a person there is only the rest of the guards. */
const MAX_KNOWN = 1_000;
const MAX_TEXT = 8_192;

/**
 * Which of the hub's guards ask. On the bus one handler asks for them all; whoever answers shall know their names, and what he allows for
 * good is theirs, whichever handler it was. An approver is told no more than that handler's name and words, so they are found by these.
 */
export class HubAskers {
  readonly #known = new Map<string, readonly GuardWords[]>();

  /** `text`: the words in which the handler asks. */
  note(handler: string, text: string, askers: readonly GuardWords[]): void {
    if (text.length > MAX_TEXT || askers.length === 0) return;
    const key = keyOf(handler, text);
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, askers);
  }

  /** A question in which the hub's guards stand instead of the handler that asked for them. */
  named<Q extends Asking>(question: Q): Q {
    if (this.#known.size === 0) return question;
    const asks = question.asks.flatMap((each) => this.#askersOf(each) ?? each);
    const [first] = asks;
    return first === undefined ? question : { ...question, by: first.by, reason: first.reason, asks };
  }

  /** The same within the payload of an event that tells of a question; whatever else it is stays as it is. */
  namedIn(payload: unknown): unknown {
    try {
      const { approval } = payload as { readonly approval: Asking };
      return Array.isArray(approval.asks) ? { ...(payload as object), approval: this.named(approval) } : payload;
    } catch {
      return payload;
    }
  }

  #askersOf({ by, reason }: ApprovalRequest["asks"][number]): ApprovalRequest["asks"] | undefined {
    const known = reason === undefined ? undefined : this.#known.get(keyOf(by, reason));
    return known?.map((asker) => ({ by: asker.by, reason: asker.reason }));
  }
}

function keyOf(handler: string, text: string): string {
  return `${handler}\n${text}`;
}
