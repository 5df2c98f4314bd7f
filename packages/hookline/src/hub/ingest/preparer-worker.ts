import { parentPort } from "node:worker_threads";
import { errorText } from "@hookline/core";
import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { createValuePreparer, type PreparerReply, type PreparerRequest } from "./event-preparer.js";

// What cannot be redacted is hidden whole, so there is nothing to tell.
const prepare = createEnvelopePreparer({ isCut: true, onError: () => {} });
const prepareValue = createValuePreparer(() => {}, true);

function prepared({ kind, json }: PreparerRequest): string {
  const given: unknown = JSON.parse(json);
  if (kind === "envelope") return encodeEnvelope(prepare(given as Envelope).envelope);
  return JSON.stringify(prepareValue(given) ?? null);
}

parentPort?.on("message", (request: PreparerRequest) => {
  const { call } = request;
  const reply = ((): PreparerReply => {
    try {
      return { call, json: prepared(request) };
    } catch (error) {
      return { call, error: errorText(error as Error) };
    }
  })();
  parentPort?.postMessage(reply);
});
