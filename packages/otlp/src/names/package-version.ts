import { readFileSync } from "node:fs";

/** The version in the package's own manifest. `hookline` loads the package only if it is its own version. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string }
).version;
