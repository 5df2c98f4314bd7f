/** What every emitter is asked to do: the same names, the same payload, the same ten observers. */
export const names = [
  "agent:start",
  "agent:step",
  "llm:after",
  "message:start",
  "message:delta",
  "tool:progress",
  "turn:end",
  "worker:progressed",
] as const;
export type Name = (typeof names)[number];

/** The name of the rows that always use the same one. */
export const constantName = "agent:start";
/** Somebody listens to this one in every emitter: none of them is empty. */
export const unrelatedName = "session:idle";

export const payload = { amount: 1, tool: { name: "bash", input: { command: "ls" } } };

interface Amount {
  readonly [key: string]: unknown;
}
interface Event {
  readonly payload: Amount;
}
interface EmitteryEvent {
  readonly data?: Amount;
}
export type Observer<Shape> = (argument: Shape) => void;

let total = 0;

/** What the observers have added up so far. */
export function counted(): number {
  return total;
}

// Kept in the small-integer range: beyond it every addition would allocate a heap number.
function add(amount: unknown): void {
  total = (total + (amount as number)) | 0;
}

// Ten literals, not one in a loop: closures of one literal share their code, and a call site that sees only those
// is inlined as if there were a single observer. Named, because hookable defines a name on those that have none, which
// gives each function a hidden class of its own and makes `fn.call` of other emitters three times as slow.
export const payloadObservers: readonly Observer<Amount>[] = Object.values({
  first: (payload: Amount) => add(payload.amount),
  second: (payload: Amount) => add(payload.amount),
  third: (payload: Amount) => add(payload.amount),
  fourth: (payload: Amount) => add(payload.amount),
  fifth: (payload: Amount) => add(payload.amount),
  sixth: (payload: Amount) => add(payload.amount),
  seventh: (payload: Amount) => add(payload.amount),
  eighth: (payload: Amount) => add(payload.amount),
  ninth: (payload: Amount) => add(payload.amount),
  tenth: (payload: Amount) => add(payload.amount),
});

export const eventObservers: readonly Observer<Event>[] = Object.values({
  first: (event: Event) => add(event.payload.amount),
  second: (event: Event) => add(event.payload.amount),
  third: (event: Event) => add(event.payload.amount),
  fourth: (event: Event) => add(event.payload.amount),
  fifth: (event: Event) => add(event.payload.amount),
  sixth: (event: Event) => add(event.payload.amount),
  seventh: (event: Event) => add(event.payload.amount),
  eighth: (event: Event) => add(event.payload.amount),
  ninth: (event: Event) => add(event.payload.amount),
  tenth: (event: Event) => add(event.payload.amount),
});

export const emitteryObservers: readonly Observer<EmitteryEvent>[] = Object.values({
  first: (event: EmitteryEvent) => add(event.data?.amount),
  second: (event: EmitteryEvent) => add(event.data?.amount),
  third: (event: EmitteryEvent) => add(event.data?.amount),
  fourth: (event: EmitteryEvent) => add(event.data?.amount),
  fifth: (event: EmitteryEvent) => add(event.data?.amount),
  sixth: (event: EmitteryEvent) => add(event.data?.amount),
  seventh: (event: EmitteryEvent) => add(event.data?.amount),
  eighth: (event: EmitteryEvent) => add(event.data?.amount),
  ninth: (event: EmitteryEvent) => add(event.data?.amount),
  tenth: (event: EmitteryEvent) => add(event.data?.amount),
});

/** Gives each name so many observers, starting with a different one for each, and the unrelated name one. */
export function subscribe<Shape>(
  observers: readonly Observer<Shape>[],
  count: number,
  on: (name: Name | typeof unrelatedName, observer: Observer<Shape>) => unknown,
): void {
  names.forEach((name, offset) => {
    for (let index = 0; index < count; index++) on(name, observers[(offset + index) % observers.length] as Observer<Shape>);
  });
  on(unrelatedName, observers[0] as Observer<Shape>);
}
