import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { createValuePreparer, type PreparerRequest } from "./event-preparer.js";
import { answerInThread } from "./thread.js";

// What cannot be redacted is hidden whole, so there is nothing to tell.
const prepare = createEnvelopePreparer({ isCut: true, onError: () => {} });
const prepareValue = createValuePreparer(() => {}, true);

answerInThread(({ kind, given, json = JSON.stringify(given) }: PreparerRequest): string => {
  // As JSON has it, and with that as it is stored.
  const value: unknown = JSON.parse(json);
  if (kind === "envelope") return encodeEnvelope(prepare(value as Envelope).envelope);
  return JSON.stringify(prepareValue(value) ?? null);
});
