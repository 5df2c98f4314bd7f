// A thread for one look at the whole store: it reads as long as it must, and no append waits for it.
import { parentPort, workerData } from "node:worker_threads";
import type { KeptHead } from "../protocol.js";
import { verifyStore } from "./verify-store.js";

const { path, kept } = workerData as { readonly path: string; readonly kept: readonly KeptHead[] };
parentPort?.postMessage(verifyStore(path, kept));
