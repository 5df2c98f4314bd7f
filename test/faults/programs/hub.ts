// A hub in the folders of its environment: hub.ts <options of startHub as JSON>
import { type HubOptions, startHub } from "hookline/hub";
import { answerWith, sayFailed, sayReady } from "./answers.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as HubOptions;

try {
  const hub = await startHub({ port: 0, ...options, onProblem: (text) => console.error(text) });
  answerWith({
    rotate: () => {
      const { token } = hub.file;
      hub.parts.rotateKeys("all");
      return token;
    },
    counters: () => ({ ...hub.parts.ingest.counters, pending: hub.parts.ingest.pending }),
    resources: () => tally(process.getActiveResourcesInfo()),
    /** Ends the hub and leaves the process, which may be the only one to see its folders. */
    close: () => hub.close(),
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
