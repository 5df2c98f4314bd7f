import { createPayloadPreparer } from "@hookline/core/internal/sinks";

const MAX_BYTES = 64 * 1_024;
const prepare = createPayloadPreparer({ maxPayloadBytes: MAX_BYTES, onError: () => {} });

/** A value as it would be in a stored event: without what looks like a secret, and cut where it is long. */
export function hideSecrets(value: unknown): unknown {
  return (prepare({ value }).payload as { readonly value?: unknown }).value;
}
