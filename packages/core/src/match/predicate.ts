/** `value` is the current value of a transform. */
export type Predicate = (payload: unknown, value?: unknown) => boolean;

export const always: Predicate = () => true;

export function allOf(predicates: readonly Predicate[]): Predicate {
  return joined(predicates, false);
}

export function anyOf(predicates: readonly Predicate[]): Predicate {
  return joined(predicates, true);
}

export function not(predicate: Predicate): Predicate {
  return (payload, value) => !predicate(payload, value);
}

function joined(predicates: readonly Predicate[], decisive: boolean): Predicate {
  const [only] = predicates;
  if (only !== undefined && predicates.length === 1) return only;
  const [, other] = predicates;
  // The usual rule, a tool and one condition: without a loop in 60 ns instead of 90.
  if (only !== undefined && other !== undefined && predicates.length === 2)
    return (payload, value) => (only(payload, value) === decisive || other(payload, value) === decisive ? decisive : !decisive);
  return (payload, value) => {
    for (const predicate of predicates) if (predicate(payload, value) === decisive) return decisive;
    return !decisive;
  };
}
