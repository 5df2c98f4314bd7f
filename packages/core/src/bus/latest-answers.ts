import type { Actor } from "../catalog/actor.js";
import type { Answer, Effect } from "./answer.js";
import type { Registration } from "./registration.js";
import type { Relayed } from "./relayed.js";
import type { Ask } from "./types.js";

type AnswerVerdict = NonNullable<Answer["verdict"]>;

/** What a handler last answered, and to which version of the payload. */
interface LatestAnswer {
  readonly actor: Actor;
  readonly verdict: AnswerVerdict | undefined;
  readonly reason: string | undefined;
  readonly output: unknown;
  readonly effects: readonly Effect[];
  readonly version: number;
  /** Those that ask, where the handler only passes it on. */
  readonly asks: readonly Ask[] | undefined;
}

/** What every handler of a gate last answered: a handler that looks again takes back what it said before. */
export class LatestAnswers {
  #latest: Map<Registration, LatestAnswer> | undefined;

  note(registration: Registration, answer: Answer, version: number, relayed: Relayed | undefined): void {
    const { verdict, reason, output, effects } = answer;
    const actor = relayed?.actor ?? registration.parts.actor;
    this.#latest ??= new Map();
    this.#latest.set(registration, { actor, verdict, reason, output, effects, version, asks: relayed?.asks });
  }

  forget(registration: Registration): void {
    this.#latest?.delete(registration);
  }

  /** The first in handler order to give this verdict. An allow is good only for the payload that it was given for. */
  first(verdict: AnswerVerdict, handlers: readonly Registration[], version: number): LatestAnswer | undefined {
    if (this.#latest === undefined) return undefined;
    for (const registration of handlers) {
      const latest = this.#latest.get(registration);
      if (latest?.verdict === verdict && (verdict !== "allow" || latest.version === version)) return latest;
    }
    return undefined;
  }

  /** All that ask, in handler order. */
  asks(handlers: readonly Registration[]): readonly Ask[] {
    return handlers.flatMap((registration) => {
      const latest = this.#latest?.get(registration);
      if (latest?.verdict !== "ask") return [];
      const { actor, reason, asks } = latest;
      return asks !== undefined && asks.length > 0 ? asks : [{ by: actor.name, actor, reason }];
    });
  }

  effectsOf(registration: Registration): readonly Effect[] {
    return this.#latest?.get(registration)?.effects ?? [];
  }
}
