import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

// Projects have their own lists of files, which would count instead of the one below.
const { projects: _, ...test } = base.test ?? {};

// The fleet against real NATS servers. One file at a time: each starts servers and hubs. Its commands take seconds each on a loaded machine.
export default defineConfig({
  ...base,
  test: {
    ...test,
    include: ["test/fleet/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
