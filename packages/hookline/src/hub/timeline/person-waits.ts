/** A call that may have waited, or a question or an answer. */
interface Timed {
  readonly startAt: number;
}

interface Wait<Span> {
  readonly key: string;
  readonly question: Span;
  answer?: Span;
}

interface Waited {
  waitMs: number;
  until: number;
}

/** How long calls waited for a person, from the questions and answers told of. A process and the hub may both tell of the same one. */
export class PersonWaits<Span extends Timed> {
  readonly #waits = new Map<string, Wait<Span>>();
  readonly #spans = new Map<string, Span[]>();

  /** `key` is what the call is known by: those of one key are told apart by their time. */
  asked(id: string, key: string, question: Span): void {
    this.#waits.set(id, { key, question });
  }

  answered(id: string, answer: Span): void {
    const wait = this.#waits.get(id);
    if (wait !== undefined) wait.answer ??= answer;
  }

  called(key: string, span: Span): void {
    const known = this.#spans.get(key);
    if (known === undefined) this.#spans.set(key, [span]);
    else known.push(span);
  }

  /** The calls that waited, for how long and until when, and the questions and answers that this tells all of. */
  settle(): { readonly calls: ReadonlyMap<Span, Waited>; readonly told: ReadonlySet<Span> } {
    const calls = new Map<Span, Waited>();
    const told = new Set<Span>();
    for (const { key, question, answer } of [...this.#waits.values()].sort((a, b) => a.question.startAt - b.question.startAt)) {
      const from = question.startAt;
      const call = this.#spans.get(key)?.findLast(({ startAt }) => startAt <= from);
      if (call === undefined || answer === undefined) continue;
      told.add(question).add(answer);
      const { waitMs, until } = calls.get(call) ?? { waitMs: 0, until: from };
      // What was told of twice is one wait.
      const more = Math.max(0, answer.startAt - Math.max(from, until));
      calls.set(call, { waitMs: waitMs + more, until: Math.max(until, answer.startAt) });
    }
    return { calls, told };
  }
}
