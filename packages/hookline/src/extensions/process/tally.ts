import type { FailureKind } from "@hookline/core";
import type { IgnoredAnswer } from "@hookline/core/internal/wire";

/** What became of an extension's requests, over all its runs. */
export interface ExtensionCounts {
  readonly answered: number;
  /** Every failure under its kind; a late, duplicate, unsolicited or malformed answer is a `protocol_error`. */
  readonly failures: { readonly [kind in FailureKind]?: number };
  readonly late: number;
  readonly duplicate: number;
  readonly unsolicited: number;
  readonly malformed: number;
  readonly stderrBytes: number;
}

export class ExtensionTally implements ExtensionCounts {
  answered = 0;
  failures: { [kind in FailureKind]?: number } = {};
  late = 0;
  duplicate = 0;
  unsolicited = 0;
  malformed = 0;
  stderrBytes = 0;
  /** Something has failed, and no request since has gone well from its beginning to its end. */
  isDegraded = false;
  /** In all. */
  failed = 0;

  /** `failedBefore` is what `failed` was when the request began: a second answer may come in before the first is taken note of. */
  answer(failedBefore: number): void {
    this.answered++;
    if (this.failed === failedBefore) this.isDegraded = false;
  }

  counts(): ExtensionCounts {
    const { answered, late, duplicate, unsolicited, malformed, stderrBytes } = this;
    return { answered, failures: { ...this.failures }, late, duplicate, unsolicited, malformed, stderrBytes };
  }

  fail(kind: FailureKind): void {
    this.failures[kind] = (this.failures[kind] ?? 0) + 1;
    this.failed++;
    this.isDegraded = true;
  }

  ignored(kind: IgnoredAnswer): void {
    this[kind]++;
    this.fail("protocol_error");
  }

  malformedFrame(): void {
    this.malformed++;
    this.fail("protocol_error");
  }
}
