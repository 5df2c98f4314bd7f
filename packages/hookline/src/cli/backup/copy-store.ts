import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

const EVERY_MS = 500;

const PROGRAM = `
const { workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(workerData.from, { readOnly: true, timeout: 10000 });
database.prepare("VACUUM INTO ?").run(workerData.to);
database.close();
`;

/**
 * Copies a store that a hub may be writing to, as it is at one moment. In a thread, because SQLite does not return before it is done; the file that
 * grows is the progress.
 */
export async function copyStore(from: string, to: string, onProgress: (bytes: number, of: number) => void): Promise<void> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { from, to }, execArgv: [] });
  const of = statSync(from).size;
  const timer = setInterval(() => onProgress(statSync(to, { throwIfNoEntry: false })?.size ?? 0, of), EVERY_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once("error", reject).once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`its thread ended with ${code}`))));
    });
  } finally {
    clearInterval(timer);
  }
}
