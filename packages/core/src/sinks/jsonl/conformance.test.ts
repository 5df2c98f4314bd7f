import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { createJsonlSink, decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { sinkConformance } from "../../../../../test/conformance/sink-conformance.ts";
import { temporaryFolder } from "../../../../../test/conformance/temporary-folder.ts";

function envelopesIn(path: string): Envelope[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).map(decodeEnvelope) : [];
}

sinkConformance("jsonl", () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "events.jsonl");
  const aside = join(folder.path, "aside.jsonl");
  return {
    sink: createJsonlSink({ path }),
    received: async () => [...envelopesIn(aside), ...envelopesIn(path)],
    breakPeer: () => {
      renameSync(path, aside);
      mkdirSync(path);
    },
    healPeer: () => rmdirSync(path),
    dispose: () => folder[Symbol.dispose](),
  };
});
