import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { compressFile } from "./compress.js";
import type { SharedFile } from "./shared-file.js";

export interface RotationOptions {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly gzip: boolean;
  /** How many files that were moved away stay. */
  readonly keep: number;
}

/** Moves a file away when it is too large or too old, compresses what was moved and removes what is too much. */
export class Rotation {
  readonly #file: SharedFile;
  readonly #options: RotationOptions;
  readonly #background = new Set<Promise<unknown>>();
  readonly #writer = randomBytes(6).toString("hex");
  #count = 0;

  constructor(file: SharedFile, options: RotationOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Before so many bytes are written; says whether the file is another one now. */
  makeRoom({ size, birthtimeMs }: Stats, bytes: number): boolean {
    const { maxBytes, maxAgeMs, gzip } = this.#options;
    // A clock that was set back makes no file old.
    const isOld = Date.now() - birthtimeMs >= maxAgeMs;
    if (size === 0 || (size + bytes <= maxBytes && !isOld)) return false;
    const moved = this.#nextName();
    if (!this.#file.moveTo(moved)) return true;
    if (gzip) this.#inBackground(compressFile(moved).then(() => this.#removeOldest()));
    else this.#removeOldest();
    return true;
  }

  /** Resolves when nothing is being compressed any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#background);
  }

  // Time first, so that names sort. Then chance, so that no two processes ever move onto each other's: in two containers, two processes may
  // have one number.
  #nextName(): string {
    const { folder, stem, extension } = partsOf(this.#file.path);
    const time = new Date().toISOString().replace(/[-:.]/g, "");
    return join(folder, `${stem}-${time}-${this.#writer}-${++this.#count}${extension}`);
  }

  #removeOldest(): void {
    if (this.#options.keep === Number.POSITIVE_INFINITY) return;
    const { folder } = partsOf(this.#file.path);
    const moved = readdirSync(folder).filter(isMoved(this.#file.path)).sort();
    for (const name of moved.slice(0, Math.max(0, moved.length - this.#options.keep))) rmSync(join(folder, name), { force: true });
  }

  #inBackground(work: Promise<unknown>): void {
    const quiet = work.catch(() => {}).finally(() => this.#background.delete(quiet));
    this.#background.add(quiet);
  }
}

/** Whether a name in the folder of `path` is that of a file moved away from it, compressed or not. */
function isMoved(path: string): (name: string) => boolean {
  const { stem, extension } = partsOf(path);
  return (name) => {
    if (!name.startsWith(`${stem}-`)) return false;
    const rest = name.slice(stem.length + 1);
    const end = [extension, `${extension}.gz`].find(
      (ending) => rest.endsWith(ending) && /^\d{8}T\d{9}Z-[0-9a-f]+-\d+$/.test(rest.slice(0, rest.length - ending.length)),
    );
    return end !== undefined;
  };
}

function partsOf(path: string): { folder: string; stem: string; extension: string } {
  const extension = extname(path);
  return { folder: dirname(path), stem: basename(path, extension), extension };
}
