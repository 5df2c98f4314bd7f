import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";

// Its own files instead of the projects of `npm test`.
const { projects: _, ...shared } = base.test ?? {};

// The gateways under faults: floods, lies, huge messages, kills. One file at a time: each starts hubs and servers.
export default defineConfig({
  ...base,
  test: { ...shared, include: ["test/mcp/**/*.test.ts"], exclude: ["**/node_modules/**"], maxWorkers: 1 },
});
