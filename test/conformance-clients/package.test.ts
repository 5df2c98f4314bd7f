import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../docs/repository.ts";
import { hasPython, pythonProgram } from "./client-process.ts";
import { HubProcess } from "./hub-process.ts";

describe.skipIf(!hasPython)("the Python package", () => {
  let hub: HubProcess;
  beforeAll(async () => {
    hub = new HubProcess(readFileSync(new URL("policy.toml", import.meta.url), "utf8"));
    await hub.start();
  });
  afterAll(() => hub.close());

  it("passes its own tests, with warnings as errors", async () => {
    const args = [
      "-W",
      "error",
      "-W",
      "ignore::DeprecationWarning:multiprocessing",
      "-m",
      "unittest",
      "discover",
      "-q",
      "-s",
      "tests",
      "-t",
      ".",
    ];
    const env = { ...hub.home.env, PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" };
    const said = await new Promise<string>((resolve) => {
      const options = { cwd: `${root}/packages/python`, env, timeout: 120_000 };
      execFile(pythonProgram, args, options, (error, _, stderr) => resolve(error === null ? "passed" : stderr));
    });
    expect(said).toBe("passed");
  });
});
