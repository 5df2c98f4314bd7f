import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that goes with the scope it was made in: `using folder = temporaryFolder()`. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "hookline-sinks-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
