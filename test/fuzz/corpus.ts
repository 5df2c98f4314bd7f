import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("corpus", import.meta.url));

/** Inputs that once were read wrongly. They are tried first in every run, and mutations begin with them, too. */
export function corpusOf(target: string): Buffer[] {
  const folder = join(root, target);
  return existsSync(folder)
    ? readdirSync(folder)
        .sort()
        .map((name) => readFileSync(join(folder, name)))
    : [];
}

/** Keeps an input; returns where. */
export function keep(target: string, input: Buffer): string {
  const folder = join(root, target);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, createHash("sha256").update(input).digest("hex").slice(0, 12));
  writeFileSync(path, input);
  return path;
}
