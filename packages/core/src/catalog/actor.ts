export const ACTOR_KINDS = ["guard", "rule", "hook", "person", "hub", "policy"] as const;
/** The kinds of actors. */
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** The guard, person or other part that made a step of a trail, decided, asked a person or answered. */
export interface Actor {
  /**
   * `guard`: a handler of the host's own code. `rule`, `hook`: a handler that comes from a rule or from a hook. `person`: an approver's
   * answer. `hub`: the hub itself, its limits and its failures, or the handler that asks it. `policy`: a pause, a call that is always allowed, or
   * a call that the bus denies because no answer came.
   */
  readonly kind: ActorKind;
  readonly name: string;
  readonly owner?: string;
  /** Where it acted, if not in the process that the record is of: `hub`. */
  readonly at?: string;
}

const MAX_NAME = 200;

/** An actor as another process or a person's code gives it; nothing for what is not an actor. */
export function readActor(given: unknown): Actor | undefined {
  const { kind, name, owner, at } = Object(given) as { readonly [Field in keyof Actor]?: unknown };
  if (!ACTOR_KINDS.includes(kind as ActorKind) || typeof name !== "string") return undefined;
  return {
    kind: kind as ActorKind,
    name: name.slice(0, MAX_NAME),
    ...(typeof owner === "string" && { owner: owner.slice(0, MAX_NAME) }),
    ...(typeof at === "string" && { at: at.slice(0, MAX_NAME) }),
  };
}
