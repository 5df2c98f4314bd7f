/** Where an archive keeps its files. */
export interface ArchivePlace {
  /** Rejects if the file is not stored as a whole. Replaces a file of the same name. */
  put(name: string, bytes: Buffer, signal: AbortSignal): Promise<void>;
  /** The periods that have files. */
  periods(signal: AbortSignal): Promise<readonly string[]>;
  /** Removes every file in a folder, and says how many there were. */
  removeFolder(folder: string, signal: AbortSignal): Promise<number>;
  close(): void;
}
