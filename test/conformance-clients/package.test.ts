import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
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

const run = promisify(execFile);
const hasPip = hasPython && spawnSync(pythonProgram, ["-m", "pip", "--version"]).status === 0;

describe.skipIf(!hasPip)("pip", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-pip-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("installs the package from its folder without an index", async () => {
    const env = { ...process.env, HOME: folder, PIP_NO_INDEX: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1" };
    await run(pythonProgram, ["-m", "pip", "install", "--quiet", "--target", folder, `${root}/packages/python`], { env });
    const asked =
      "import hookline; from hookline._catalog import find_event; from importlib.metadata import version; print(find_event('PreToolUse').name, version('hookline') == hookline.__version__)";
    const { stdout } = await run(pythonProgram, ["-c", asked], { cwd: folder, env: { ...env, PYTHONPATH: folder } });
    expect(stdout.trim()).toBe("tool:before True");
  });
});
