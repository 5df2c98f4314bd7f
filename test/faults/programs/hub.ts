// A hub in the folders of its environment: hub.ts <options of startHub as JSON>
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type HubOptions, startHub } from "hookline/hub";
import { answerWith, sayFailed, sayReady } from "./answers.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as HubOptions;

try {
  const start = () => startHub({ port: 0, ...options, onProblem: (text) => console.error(text) });
  let hub = await start();
  answerWith({
    rotate: () => {
      const { token } = hub.file;
      hub.parts.rotateKeys("all");
      return token;
    },
    now: () => Date.now(),
    counters: () => ({ ...hub.parts.ingest.counters, pending: hub.parts.ingest.pending }),
    /** Bytes in use after a collection. */
    memory: () => {
      setFlagsFromString("--expose-gc");
      runInNewContext("gc")();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    /** Takes up the policy on disk; answers when it is in force everywhere. */
    reload: async () => void (await hub.parts.policy.list()),
    resources: () => tally(process.getActiveResourcesInfo()),
    /** Ends the hub and leaves the process, which may be the only one to see its folders. */
    close: () => hub.close(),
    /** In the same process, for the same reason. */
    async open() {
      hub = await start();
    },
  });
  sayReady(hub.file);
} catch (error) {
  sayFailed((error as { code?: string }).code ?? String(error));
  process.exitCode = 3;
  process.disconnect?.();
}

function tally(names: readonly string[]): { [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
