import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BundleOptions, packBundle } from "../../packages/hookline/src/bundles/bundle.ts";
import { signerOfKey } from "../../packages/hookline/src/rules/pack/signature.ts";
import { testFolder } from "./test-folder.ts";
import { DAY_MS } from "./word-rule.ts";

/** One who signs policies, and the folder from which hosts take them. */
export interface PolicyAuthor {
  readonly key: KeyObject;
  /** For `[policy] key`. */
  readonly publicKey: string;
  /** For `[policy] from`. */
  readonly out: string;
  build(files: { readonly [path: string]: string }, options?: Partial<BundleOptions>): Buffer;
  /** Builds and puts it where hosts take it from. */
  publish(files: { readonly [path: string]: string }, options?: Partial<BundleOptions>): Buffer;
}

export function createPolicyAuthor(name = "Acme"): PolicyAuthor {
  const key = generateKeyPairSync("ed25519").privateKey;
  let folder: string | undefined;
  const out = (): string => {
    folder ??= testFolder();
    return folder;
  };
  const build: PolicyAuthor["build"] = (files, options = {}) =>
    packBundle(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])), new Set(), {
      name: "acme",
      channel: "stable",
      serial: 1,
      notAfter: Date.now() + DAY_MS,
      signer: { name, key },
      ...options,
    });
  return {
    key,
    publicKey: signerOfKey(name, key).key,
    get out() {
      return out();
    },
    build,
    publish(files, options = {}) {
      const bytes = build(files, options);
      writeFileSync(join(out(), `${options.channel ?? "stable"}.bundle`), bytes);
      return bytes;
    },
  };
}
