import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface UiFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The same from the sources and from what is built of them. */
const BUILT = fileURLToPath(new URL("../../../dist/ui/", import.meta.url));
const NAME = /^[A-Za-z0-9_][\w.-]{0,200}$/;
const TYPES: { readonly [extension: string]: string } = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A file of the page; nothing for one that is not there, or no file of its own. */
export function readUiFile(part: "" | "assets", name: string, folder: string = BUILT): UiFile | undefined {
  const type = TYPES[extname(name)];
  if (type === undefined || !NAME.test(name)) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(join(folder, part, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    return fstatSync(fd).isFile() ? { type, bytes: readFileSync(fd) } : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
