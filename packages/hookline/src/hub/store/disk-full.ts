const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

/** Whether an error of the store or the file system says that there is no room left. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT") return true;
  if (typeof errcode !== "number") return false;
  // SQLite's memory-mapped log answers a full disk with an I/O error, not with "full".
  return errcode === SQLITE_FULL || (errcode & 0xff) === SQLITE_IOERR;
}

/** The same while a store is opened: a file beside it that cannot be made is one that cannot be opened. */
export function mayBeDiskFull(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return isDiskFull(error) || (typeof errcode === "number" && (errcode & 0xff) === SQLITE_CANTOPEN);
}
