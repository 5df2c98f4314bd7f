import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";

// The gateways under faults: floods, lies, huge messages, kills. One file at a time: each starts hubs and servers.
export default defineConfig({
  ...base,
  test: { ...base.test, include: ["test/mcp/**/*.test.ts"], exclude: ["**/node_modules/**"], maxWorkers: 1 },
});
