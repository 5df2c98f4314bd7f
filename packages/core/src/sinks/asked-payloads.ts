import type { HandlerInfo, HookEvent, TapCall, TapDispatch, TrailAction } from "../bus/types.js";

/** A dispatch that never ends must not fill the memory. */
const MAX_OPEN = 10_000;
/** What a handler says that rewrites, or after which an approver may. */
const WEIGHTY: ReadonlySet<TrailAction> = new Set(["modify", "ask", "allow", "deny", "again", "handled"]);

/**
 * What gates were asked about at first: when one is over, its event carries the payload as it was rewritten. The first handler that says
 * something has seen it as it came, so nothing is kept of a dispatch that all pass.
 */
export class AskedPayloads {
  readonly #open = new Map<string, unknown>();

  /** For a tap's `returned`. */
  returned(event: HookEvent, { stage }: Pick<HandlerInfo, "stage">, { action }: TapCall): void {
    if (action === "pass" || stage === "observe" || !WEIGHTY.has(action) || this.#open.has(event.id)) return;
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(event.id, event.payload);
  }

  /** For a tap's `dispatched`. Nothing where nothing was rewritten. */
  take(event: HookEvent, { decision }: TapDispatch): unknown {
    if (this.#open.size === 0) return undefined;
    const { id } = event;
    const asked = this.#open.get(id);
    this.#open.delete(id);
    return decision?.modified === true ? asked : undefined;
  }
}
