import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPython, pythonProgram } from "../conformance-clients/client-process.ts";
import { HubProcess } from "../conformance-clients/hub-process.ts";
import { read, root } from "./repository.ts";

interface Block {
  readonly line: number;
  readonly text: string;
}

const page = read("docs/python.md");

/** The blocks of docs/python.md in one language, with their lines. */
function blocksIn(language: string): readonly Block[] {
  const fences = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...page.matchAll(fences)].map(({ 1: text = "", index }) => ({ line: page.slice(0, index).split("\n").length, text }));
}

describe.skipIf(!hasPython)("docs/python.md", () => {
  let hub: HubProcess;
  beforeAll(async () => {
    hub = new HubProcess(blocksIn("toml")[0]?.text ?? "");
    await hub.start();
  });
  afterAll(() => hub.close());

  it("has examples", () => expect(blocksIn("python").length).toBeGreaterThan(5));

  it.each(blocksIn("python").map((block) => [block.line, block.text] as const))("runs as written: line %i", async (_, text) => {
    const { out, err } = await runPython(text, hub.home.env);
    // The one line that a program writes that connects to a hub where there is none.
    expect(err.replace(/^hookline: There is no hub in .* Run: hookline up\n/, "")).toBe("");
    expect(out.trimEnd().split("\n")).toEqual([...text.matchAll(/# → ?(.*)$/gm)].map(([, line]) => line));
  });
});

/** A loaded machine is slow, and no example depends on speed. */
const PATIENT = `import hookline.client as _client
_read = _client.read_options
_client.read_options = lambda given: _read({"gate_timeout_ms": 20_000, **given})
`;

function runPython(text: string, env: NodeJS.ProcessEnv): Promise<{ readonly out: string; readonly err: string }> {
  const child = spawn(pythonProgram, ["-"], {
    cwd: root,
    env: { ...env, PYTHONPATH: `${root}/packages/python/src`, PYTHONDONTWRITEBYTECODE: "1" },
  });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => (said.out += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (said.err += part));
  child.stdin.end(`${PATIENT}${text}`);
  return new Promise((resolve) => child.on("close", () => resolve(said)));
}
