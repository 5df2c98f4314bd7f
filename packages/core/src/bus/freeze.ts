/** Freezes a payload through and through, for buses that load foreign code. What cannot be frozen (a Proxy that refuses, a typed array) is left. */
export function deepFreeze(value: unknown): void {
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    try {
      Object.freeze(next);
      for (const key of Reflect.ownKeys(next)) {
        const member = Object.getOwnPropertyDescriptor(next, key);
        if (member !== undefined && "value" in member) pending.push(member.value);
      }
    } catch {
      // It defends itself; the guarantee is for payloads of plain data.
    }
  }
}
