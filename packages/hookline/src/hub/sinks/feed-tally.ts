import { HookError } from "@hookline/core";
import { errorText } from "@hookline/core/internal/machine";
import { countText } from "@hookline/core/internal/text";
import type { SendResult } from "@hookline/core/sinks";

type Failure = Exclude<SendResult, { readonly status: "sent" }>;

/** What became of a sink's events, and how it is doing. */
export class FeedTally {
  state: "ok" | "failing" | "closed" = "ok";
  lastError: string | undefined;
  sent = 0;
  readonly dropped: { [reason: string]: number } = {};
  readonly #name: string;
  readonly #report: (error: HookError) => void;

  constructor(name: string, report: (error: HookError) => void) {
    this.#name = name;
    this.#report = report;
  }

  drop(reason: string, count: number): void {
    if (count > 0) this.dropped[reason] = (this.dropped[reason] ?? 0) + count;
  }

  /** A batch that is done with: it arrived, or it never will. */
  settled(result: SendResult, count: number): void {
    if (result.status === "sent") {
      this.sent += count;
      this.state = "ok";
      return;
    }
    const isExhausted = (result.cause as { readonly code?: unknown } | null | undefined)?.code === "HL_RETRY_EXHAUSTED";
    this.drop(isExhausted ? "retry_exhausted" : "failed", count);
    this.failed(result);
  }

  /** Told to the outside once, until it works again; each batch that is given up is. */
  failed({ status, cause }: Failure): void {
    const error = asError(this.#name, cause);
    if (this.state === "ok" || status === "failed") this.#report(error);
    this.state = "failing";
    this.lastError = errorText(error);
  }

  /** Retention, or a person who deleted a session, was faster than the sink. */
  missed(count: number): void {
    if (count <= 0) return;
    this.drop("retention", count);
    const message = `${countText(count, "event")} ${count === 1 ? "was" : "were"} deleted, by retention or with their session, before the sink "${this.#name}" had got ${count === 1 ? "it" : "them"}.`;
    this.#report(new HookError("HL_SINK_LATE", message));
  }
}

function asError(name: string, cause: unknown): HookError {
  if (cause instanceof HookError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HookError("HL_SINK_FAILED", `The sink "${name}" failed: ${reason}`, { cause });
}
