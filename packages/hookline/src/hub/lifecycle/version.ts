import { readFileSync } from "node:fs";

/** The version in the package's own manifest. */
export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { readonly version: string };
  return manifest.version;
}
