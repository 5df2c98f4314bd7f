import { performance } from "node:perf_hooks";
import { startHub } from "hookline/hub";
import { serve } from "../serve.ts";

// A hub as `hookline up` runs it. Its folders are those of the environment; the first argument is the data folder, if it is another.
const [data] = process.argv.slice(2);
const begun = performance.now();
const hub = await startHub({ port: 0, ...(data !== undefined && { data }), onProblem: (text) => process.stderr.write(`hub: ${text}\n`) });
const startMs = performance.now() - begun;

const methods = {
  info: () => ({ file: hub.file, operator: hub.parts.tokens.operator, startMs }),
  stats: () => hub.parts.store.stats(),
  cpu: () => process.cpuUsage(),
};
export type HubMethods = typeof methods;
serve(methods);
process.on("SIGTERM", () => void hub.close().then(() => process.exit()));
