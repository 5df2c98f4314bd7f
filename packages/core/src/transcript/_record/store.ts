import { GENESIS } from "../_chain/seal.js";
import type { TranscriptEntry } from "../entries.js";
import { LineFile } from "./line-file.js";
import { type Resumed, resume } from "./resume.js";

/** Where lines go. `append` throws when one cannot be kept. */
export interface Store {
  readonly resumed: Resumed;
  /** Only a store in memory keeps them. */
  readonly entries: readonly TranscriptEntry[];
  append(line: string): void;
  close(): void;
}

export function openStore({ path, write }: { readonly path?: string; readonly write?: (line: string) => void }): Store {
  if (path !== undefined) return openFile(path);
  return write === undefined ? createMemory() : { ...nowhere, append: write, close: () => {} };
}

const nowhere: Pick<Store, "resumed" | "entries"> = { resumed: { head: GENESIS, id: undefined, recovered: 0 }, entries: [] };

function createMemory(): Store {
  const entries: TranscriptEntry[] = [];
  // Parsed again, so entries equal what a reader of the file gets, and share no objects.
  return { ...nowhere, entries, append: (line) => void entries.push(JSON.parse(line)), close: () => {} };
}

function openFile(path: string): Store {
  const file = new LineFile(path);
  try {
    return { ...nowhere, resumed: resume(file), append: (line) => file.append(line), close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}
