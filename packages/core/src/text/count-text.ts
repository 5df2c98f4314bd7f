/** `1 event`, `1,234 events`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  // Not toLocaleString, because its tables take 10 ms to load.
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ",")} ${count === 1 ? one : many}`;
}
