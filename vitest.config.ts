import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./packages/core/src/${path}`, import.meta.url));

// Tests read the sources; test/package/ alone looks at what was built.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@hookline\/core$/, replacement: source("index.ts") },
      { find: /^@hookline\/core\/(internal\/\w+)$/, replacement: source("$1.ts") },
      {
        find: /^@hookline\/core\/(remind|text|transcript|sinks|forward|extension|internal|adapters\/codewhale)$/,
        replacement: source("$1/index.ts"),
      },
    ],
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    environment: "node",
    // Much of the time goes by waiting for processes. One fewer than the cores, the default, would leave a machine of two with one.
    maxWorkers: 2,
    // Generous, because a loaded machine is slow and no test depends on speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Hundreds of processes load the same files: compiled once, they start a fifth sooner.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) },
  },
});
