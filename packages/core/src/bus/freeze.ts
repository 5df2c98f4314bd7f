/** Freezes a payload through and through, for buses that load foreign code. False when something in it could not be frozen: a getter, a Proxy that refuses. */
export function deepFreeze(value: unknown): boolean {
  const pending = [value];
  const seen = new Set<object>();
  let isPlain = true;
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    try {
      Object.freeze(next);
      for (const key of Reflect.ownKeys(next)) {
        const member = Object.getOwnPropertyDescriptor(next, key);
        if (member !== undefined && "value" in member) pending.push(member.value);
        else isPlain = false;
      }
    } catch {
      isPlain = false;
    }
  }
  return isPlain;
}
