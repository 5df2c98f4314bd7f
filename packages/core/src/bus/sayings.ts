import type { Answer, Effect } from "./answer.js";
import type { Registration } from "./registration.js";

type Verdict = NonNullable<Answer["verdict"]>;

/** What a handler last said, and of which version of the payload. */
interface Saying {
  readonly by: string;
  readonly verdict: Verdict | undefined;
  readonly reason: string | undefined;
  readonly output: unknown;
  readonly effects: readonly Effect[];
  readonly version: number;
}

/** What every handler of a gate last said: a handler that looks again takes back what it said before. */
export class Sayings {
  #latest: Map<Registration, Saying> | undefined;

  note(registration: Registration, answer: Answer, version: number): void {
    const { verdict, reason, output, effects } = answer;
    this.#latest ??= new Map();
    this.#latest.set(registration, { by: registration.parts.name, verdict, reason, output, effects, version });
  }

  forget(registration: Registration): void {
    this.#latest?.delete(registration);
  }

  /** The first in handler order to give this verdict. An allow is good for the payload it was said of, and for no other. */
  first(verdict: Verdict, handlers: readonly Registration[], version: number): Saying | undefined {
    if (this.#latest === undefined) return undefined;
    for (const registration of handlers) {
      const saying = this.#latest.get(registration);
      if (saying?.verdict === verdict && (verdict !== "allow" || saying.version === version)) return saying;
    }
    return undefined;
  }

  /** All that ask, in handler order. */
  asks(handlers: readonly Registration[]): readonly Pick<Saying, "by" | "reason">[] {
    return handlers.flatMap((registration) => {
      const { verdict, by, reason } = this.#latest?.get(registration) ?? {};
      return verdict === "ask" ? { by: by as string, reason } : [];
    });
  }

  effectsOf(registration: Registration): readonly Effect[] {
    return this.#latest?.get(registration)?.effects ?? [];
  }
}
