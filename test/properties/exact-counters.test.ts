import { type Bus, block, createBus, type EventName } from "@hookline/core";
import fc from "fast-check";
import { expect, it } from "vitest";

type Nature = "passes" | "denies" | "throws" | "waits" | "adds" | "leaves";
interface Plan {
  readonly event: "tool:before" | "agent:start" | "tool:*" | "*";
  readonly nature: Nature;
  readonly isPicky: boolean;
  readonly isOnce: boolean;
  readonly priority: number;
}
type Action =
  | { readonly do: "add"; readonly plan: Plan }
  | { readonly do: "remove"; readonly index: number }
  | { readonly do: "emit" | "decide" | "collect" | "handle" };

const plan: fc.Arbitrary<Plan> = fc.record({
  event: fc.constantFrom("tool:before", "agent:start", "tool:*", "*"),
  nature: fc.constantFrom<Nature>("passes", "passes", "passes", "denies", "throws", "waits", "adds", "leaves"),
  isPicky: fc.boolean(),
  isOnce: fc.constantFrom(false, false, false, true),
  priority: fc.integer({ min: -1, max: 1 }),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), plan }),
  fc.record({ do: fc.constant("remove" as const), index: fc.nat(5) }),
  fc.record({ do: fc.constantFrom("emit" as const, "decide" as const, "decide" as const, "collect" as const, "handle" as const) }),
);

/** A bus whose handlers count their own calls. */
class CountedBus {
  readonly bus: Bus = createBus({ onError: () => {} });
  readonly made = new Map<string, number>();
  readonly #offs: (() => void)[] = [];
  #names = 0;

  add({ event, nature, isPicky, isOnce, priority }: Plan): void {
    const name = `h${this.#names++}`;
    this.made.set(name, 0);
    const handler = (): unknown => {
      this.made.set(name, (this.made.get(name) as number) + 1);
      return this.#act(nature);
    };
    const options = { name, once: isOnce, priority, ...(isPicky && { match: "cwd == '/work'" }) };
    this.#offs.push(this.bus.on(event as EventName, handler as () => undefined, options));
  }

  remove(index: number): void {
    this.#offs[index]?.();
  }

  #act(nature: Nature): unknown {
    if (nature === "denies") return block("no");
    if (nature === "throws") throw new Error("x");
    if (nature === "waits") return Promise.resolve(undefined);
    if (nature === "adds" && this.#names < 12) this.add({ event: "*", nature: "passes", isPicky: false, isOnce: false, priority: 0 });
    if (nature === "leaves") this.#offs.at(-1)?.();
    return undefined;
  }
}

const call = { cwd: "/work", tool: { name: "bash", input: {} } };

async function run({ bus }: CountedBus, kind: "emit" | "decide" | "collect" | "handle"): Promise<void> {
  if (kind === "emit") await bus.emit("agent:start", {});
  if (kind === "decide") await bus.decide("tool:before", call);
  if (kind === "collect") await bus.collect("tool:before", call);
  if (kind === "handle") await bus.event("agent:start").emit({});
}

it("stats count exactly the calls that were made, however handlers come, go, wait, fail and deny", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), async (actions) => {
      const counted = new CountedBus();
      for (const next of actions) {
        if (next.do === "add") counted.add(next.plan);
        else if (next.do === "remove") counted.remove(next.index);
        else await run(counted, next.do);
      }
      for (const { name, calls, neverFired } of counted.bus.stats()) {
        expect({ name, calls, neverFired }).toEqual({ name, calls: counted.made.get(name), neverFired: counted.made.get(name) === 0 });
      }
    }),
    { numRuns: 600 },
  );
});
