import type { FailureKind } from "@hookline/core";
import type { IgnoredAnswer } from "@hookline/core/internal/wire";

/** The results of an extension's requests, over all its runs. */
export interface ExtensionCounts {
  readonly answered: number;
  /** Failures by kind. A late, duplicate, unsolicited or malformed answer is a `protocol_error`. */
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
  /** True from a failure until a request has succeeded from start to end. */
  isDegraded = false;
  /** In total. */
  failed = 0;

  /** `failedBefore` is the value of `failed` when the request began: a second answer may arrive before the first is recorded. */
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
