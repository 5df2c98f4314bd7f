import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findServer } from "./find-server.js";

describe("the NATS server of a machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-nats-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const saying = (name: string, line: string): string => {
    const program = join(folder, name);
    writeFileSync(program, `#!/bin/sh\necho '${line}'\n`);
    chmodSync(program, 0o755);
    return program;
  };

  it("is refused with its version and the one that is needed when it is too old", () => {
    const NATS_SERVER = saying("old", "nats-server: v2.9.10");
    expect(() => findServer({ NATS_SERVER })).toThrow(
      expect.objectContaining({
        code: "HL_FLEET_VERSION",
        message: expect.stringContaining(`${NATS_SERVER} is version 2.9.10; a fleet needs nats-server 2.12 or later.`),
        fix: expect.stringContaining("npx node scripts/nats-server.ts"),
      }),
    );
  });

  it.each(["nats-server: v2.12.0", "nats-server: v3.0.0-RC.1", "no version"])("is taken when it says %s", (line) => {
    const NATS_SERVER = saying("new", line);
    expect(findServer({ NATS_SERVER })).toBe(NATS_SERVER);
  });
});
