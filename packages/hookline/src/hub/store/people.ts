import type { DecisionStep } from "@hookline/core/sinks";

const MAX_PEOPLE = 1_000;

/** Those who answer questions, by what is told of their answers: in a trail a person's step looks like that of a guard. */
export class People {
  readonly #names = new Set<string>();

  /** `payload` is that of `permission:replied`, which comes before the decision it led to. */
  heard(payload: unknown): void {
    const by = (payload as { approval?: { by?: unknown } | null } | null | undefined)?.approval?.by;
    if (typeof by !== "string" || this.#names.has(by)) return;
    // Whoever is forgotten is heard of with his next answer.
    if (this.#names.size >= MAX_PEOPLE) this.#names.clear();
    this.#names.add(by);
  }

  /** A step of a guard has an owner, a time or a place more often than not, one of a person never. */
  said({ handler, owner, durationMs, at }: DecisionStep): boolean {
    return owner === undefined && durationMs === undefined && at === undefined && this.#names.has(handler);
  }
}
