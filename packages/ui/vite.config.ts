import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The hub's policy allows no inline script and no inline style: the polyfill would be one, and small files would become data: addresses.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../hookline/dist/ui", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
