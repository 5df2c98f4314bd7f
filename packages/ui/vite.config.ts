import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

// The hub's policy allows no inline script and no inline style: the polyfill would be one, and small files would become data: addresses.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [removeStale()],
  build: {
    outDir: fileURLToPath(new URL("../hookline/dist/ui", import.meta.url)),
    emptyOutDir: false,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});

/** The icons of the installed dashboard are copied from `public/`, and are not part of the bundle. */
const ICON = /^app-/;

/** Removes what an earlier build left, afterwards: a hub that runs meanwhile is never without its page. */
function removeStale(): Plugin {
  return {
    name: "remove-stale",
    writeBundle({ dir = "" }, bundle) {
      const assets = join(dir, "assets");
      for (const name of readdirSync(assets)) if (!Object.hasOwn(bundle, `assets/${name}`) && !ICON.test(name)) rmSync(join(assets, name));
    },
  };
}
