/** The first version with atomic batches. */
const MIN_VERSION = [2, 12] as const;

export const minVersion = MIN_VERSION.join(".");

/** Whether a fleet can use a server of this version, such as `2.12.1`. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
}
