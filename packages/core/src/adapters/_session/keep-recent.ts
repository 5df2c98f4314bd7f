/** So many entries about calls and conversations that may never end. */
const MAX_KEPT = 1_000;

/** Puts an entry into a map. The oldest one is given up where there are too many: what an SDK never ends must not fill the memory. */
export function keepRecent<K, V>(map: Map<K, V>, key: K, value: V, limit = MAX_KEPT): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}
