import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

// The fleet against real NATS servers. One file at a time: each starts servers and hubs.
export default defineConfig({
  ...base,
  test: { ...base.test, include: ["test/fleet/**/*.test.ts"], exclude: ["**/node_modules/**"], maxWorkers: 1 },
});
