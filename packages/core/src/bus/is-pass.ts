/** A handler that has no opinion. */
export function isPass(returned: unknown): boolean {
  return returned === undefined || returned === true || returned === null;
}
