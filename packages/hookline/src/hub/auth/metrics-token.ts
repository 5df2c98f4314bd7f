import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";

/** Where the digest of the token for `/metrics` is kept. The token itself is nowhere: its owner got it once. */
export interface KeptDigest {
  read(): Buffer | undefined;
  write(digest: Buffer | undefined): void;
}

const FILE = "metrics-token.json";
const DIGEST = /^[0-9a-f]{64}$/;

/** It outlives the hub, so a scraper keeps working after a restart. */
export function keepMetricsDigest(state: string): KeptDigest {
  const found = (readPrivateJson(state, FILE) as { readonly digest?: unknown } | null | undefined)?.digest;
  let digest: Buffer | undefined = typeof found === "string" && DIGEST.test(found) ? Buffer.from(found, "hex") : undefined;
  return {
    read: () => digest,
    write(next) {
      if (next === undefined && digest === undefined) return;
      writePrivateJson(state, FILE, next === undefined ? {} : { digest: next.toString("hex") });
      digest = next;
    },
  };
}

/** For a hub without a folder. */
export function keepInMemory(): KeptDigest {
  let digest: Buffer | undefined;
  return {
    read: () => digest,
    write: (next) => {
      digest = next;
    },
  };
}
