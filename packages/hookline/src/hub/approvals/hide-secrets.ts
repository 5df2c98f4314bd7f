import { createEnvelopePreparer } from "@hookline/core/internal/sinks";

const MAX_BYTES = 64 * 1_024;
const prepare = createEnvelopePreparer({ maxPayloadBytes: MAX_BYTES, onError: () => {} });
const source = { app: "", host: "", pid: 0, instance: "x" };

/** A value as it would be in a stored event: without what looks like a secret, and cut where it is long. */
export function hideSecrets(value: unknown): unknown {
  const { envelope } = prepare({ v: 1, id: "x", seq: 0, at: "", event: "tool:before", source, payload: { value }, hops: [] });
  return (envelope.payload as { readonly value?: unknown }).value;
}
