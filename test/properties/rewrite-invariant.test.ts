import { allow, ask, block, createBus, type Decision, type GateHandler, type HandlerOptions, modify } from "@hookline/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

/** The payloads of these chains: a small number, so that random handlers meet often. */
interface Numbered {
  readonly n: number;
}
type Act = "pass" | "block" | "ask" | "allow" | "rewrite" | "same" | "throw" | "hang" | "reregister" | "leave";

/** What one random guard does, depending on the number it sees. */
interface GuardPlan {
  readonly acts: readonly Act[];
  readonly step: number;
  readonly isAsync: boolean;
  readonly matches: readonly boolean[];
  readonly hasMatcher: boolean;
  readonly options: Pick<HandlerOptions, "priority" | "stage" | "onFailure">;
}

const NUMBERS = 6;
const act = fc.constantFrom<Act>(
  "pass",
  "pass",
  "pass",
  "block",
  "ask",
  "allow",
  "rewrite",
  "rewrite",
  "same",
  "throw",
  "hang",
  "reregister",
  "leave",
);
const plan: fc.Arbitrary<GuardPlan> = fc.record({
  acts: fc.array(act, { minLength: NUMBERS, maxLength: NUMBERS }),
  step: fc.integer({ min: 1, max: NUMBERS - 1 }),
  isAsync: fc.boolean(),
  matches: fc.array(fc.boolean(), { minLength: NUMBERS, maxLength: NUMBERS }),
  hasMatcher: fc.boolean(),
  options: fc.record({
    priority: fc.integer({ min: -1, max: 1 }),
    stage: fc.constantFrom("rewrite" as const, "guard" as const, "guard" as const),
    onFailure: fc.constantFrom("open" as const, "closed" as const),
  }),
});
const chain = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 6 }),
  start: fc.integer({ min: 0, max: NUMBERS - 1 }),
  approval: fc.record({
    verdict: fc.constantFrom("allow" as const, "deny" as const),
    edit: fc.option(fc.integer({ min: 0, max: NUMBERS - 1 })),
  }),
});

/** A guard that keeps a book of what it has let through. */
class Witness {
  readonly passed = new Set<number>();
  readonly asked = new Set<number>();
  readonly plan: GuardPlan;

  constructor(plan: GuardPlan) {
    this.plan = plan;
  }

  isConcernedBy(n: number): boolean {
    return !this.plan.hasMatcher || this.plan.matches[n] === true;
  }

  handler(bus: ReturnType<typeof createBus>, off: () => void): GateHandler<"tool:before"> {
    const decide = (event: Parameters<GateHandler<"tool:before">>[0]) => {
      const { n } = event.payload as unknown as Numbered;
      return this.#answer(n, bus, off);
    };
    return this.plan.isAsync
      ? async (event) => {
          await null;
          return decide(event);
        }
      : decide;
  }

  #answer(n: number, bus: ReturnType<typeof createBus>, off: () => void): ReturnType<GateHandler<"tool:before">> {
    this.passed.delete(n);
    this.asked.delete(n);
    const todo = this.plan.acts[n] as Act;
    if (todo === "block") return block("no");
    if (todo === "throw") throw new Error("broken");
    if (todo === "hang") return this.plan.isAsync ? new Promise(() => {}) : block("a synchronous guard cannot hang");
    if (todo === "ask") this.asked.add(n);
    else this.passed.add(n);
    if (todo === "ask") return ask("sure?");
    if (todo === "allow") return allow();
    if (todo === "same") return modify({ n });
    if (todo === "reregister") bus.on("tool:before", () => block("registered too late to count"));
    if (todo === "leave") off();
    if (todo !== "rewrite") return undefined;
    // An author has passed what it wrote.
    const next = (n + this.plan.step) % NUMBERS;
    this.passed.add(next);
    return modify({ n: next });
  }
}

async function run({
  plans,
  start,
  approval,
}: {
  plans: GuardPlan[];
  start: number;
  approval: { verdict: "allow" | "deny"; edit: number | null };
}) {
  const approved = new Set<number>();
  const bus = createBus({ onError: () => {} });
  bus.setApprover(async (request) => {
    const n = approval.edit ?? (request.payload as Numbered).n;
    approved.add(n);
    return { verdict: approval.verdict, payload: { n } };
  });
  const witnesses = plans.map((guardPlan, index) => {
    const witness = new Witness(guardPlan);
    let off = (): void => {};
    const match = (payload: Numbered): boolean => guardPlan.matches[payload.n] === true;
    const options: HandlerOptions = {
      ...guardPlan.options,
      name: `guard-${index}`,
      timeoutMs: 15,
      ...(guardPlan.hasMatcher && { match: match as never }),
    };
    off = bus.on(
      "tool:before",
      witness.handler(bus, () => off()),
      options,
    );
    return witness;
  });
  const decision = await bus.decide("tool:before", { n: start } as never);
  return { decision, witnesses, approved };
}

describe("whatever payload decide lets through", () => {
  it("has been passed by every guard that matched it when decide began", async () => {
    await fc.assert(
      fc.asyncProperty(chain, async (random) => {
        const { decision, witnesses, approved } = await run(random);
        if (!decision.allowed) return;
        const { n } = decision.payload as unknown as Numbered;
        for (const witness of witnesses)
          if (witness.plan.options.stage === "guard" && witness.isConcernedBy(n)) expectPassed(witness, n, approved, decision);
      }),
      { numRuns: 1_500 },
    );
  });

  it("is the payload the decision shows, and says whether it was changed", async () => {
    await fc.assert(
      fc.asyncProperty(chain, async (random) => {
        const { decision } = await run(random);
        if (decision.allowed && !decision.modified) expect(decision.payload).toEqual({ n: random.start });
      }),
      { numRuns: 300 },
    );
  });
});

function expectPassed(witness: Witness, n: number, approved: ReadonlySet<number>, decision: Decision): void {
  const hasFailedOpen = ["throw", "hang"].includes(witness.plan.acts[n] as string) && witness.plan.options.onFailure === "open";
  const wasApproved = witness.asked.has(n) && approved.has(n);
  expect({ n, passed: witness.passed.has(n) || hasFailedOpen || wasApproved, trail: decision.trail.length > 0 }).toEqual({
    n,
    passed: true,
    trail: true,
  });
}

describe("deny > ask > allow > pass, whatever the order", () => {
  const rank = ["pass", "allow", "ask", "deny"] as const;
  it("for every order and every mix of synchronous and asynchronous guards", async () => {
    const verdicts = fc.array(
      fc.record({ verdict: fc.constantFrom(...rank), isAsync: fc.boolean(), priority: fc.integer({ min: -3, max: 3 }) }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(verdicts, async (guards) => {
        const bus = createBus({ onAsk: "return" });
        for (const { verdict, isAsync, priority } of guards) {
          const answer = () => ({ pass: undefined, allow: allow(), ask: ask("?"), deny: block("no") })[verdict];
          bus.on("tool:before", isAsync ? async () => answer() : answer, { priority });
        }
        const decision = await bus.decide("tool:before", { tool: { name: "bash", input: {} } });
        const strongest = guards.map(({ verdict }) => rank.indexOf(verdict)).reduce((a, b) => Math.max(a, b));
        expect(decision.verdict).toBe(rank[strongest]);
        expect(decision.allowed).toBe(strongest < 2);
      }),
      { numRuns: 500 },
    );
  });
});

describe("no handler can make emit throw or reject", () => {
  const hostile = fc.constantFrom<() => unknown>(
    () => {
      throw new Error("x");
    },
    () => {
      throw new Proxy(
        {},
        {
          get: () => {
            throw new Error("trap");
          },
          has: () => {
            throw new Error("trap");
          },
        },
      );
    },
    () => Promise.reject(new Error("later")),
    () => Promise.reject(undefined),
    () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("trap");
          },
          getPrototypeOf: () => {
            throw new Error("trap");
          },
        },
      ),
    () => ({
      then: () => {
        throw new Error("then");
      },
    }),
    () => ({
      get then() {
        throw new Error("getter");
      },
    }),
    () => Object.create(Promise.prototype),
    () => block("not here"),
    () => Symbol("x"),
    () => 10n,
    () => [[[[block("deep")]]]],
  );
  it("on any event, however it fails", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostile, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("agent:start" as const, "tool:before" as const, "tool:result" as const),
        async (handlers, event) => {
          const reported: string[] = [];
          const bus = createBus({
            onError: (error) => {
              reported.push(error.code);
              throw new Error("even the listener throws");
            },
          });
          let heard = 0;
          for (const handler of handlers) bus.on(event as "agent:start", handler);
          bus.on(event as "agent:start", () => {
            heard++;
          });
          await bus.emit(event, {} as never);
          bus.emitSync(event, {} as never);
          await bus.collect(event, {} as never);
          expect(heard).toBe(3);
        },
      ),
      { numRuns: 300 },
    );
  });
});
