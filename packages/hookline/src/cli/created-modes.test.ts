import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createCliHome } from "../../../../test/support/cli-home.js";

const home = createCliHome();
afterAll(() => home.close());

/** Everything below a folder that other users may read, write or search. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, mode: statSync(path).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${mode.toString(8)} ${path.slice(folder.length + 1)}`);
}

it.runIf(process.platform !== "win32")("creates no file or folder for others, whatever the umask", async () => {
  const node = join(home.folder, "node");
  writeFileSync(node, `#!/bin/sh\numask 000\nexec '${process.execPath}' "$@"\n`, { mode: 0o700 });
  chmodSync(node, 0o700);
  const commands = [
    ["up", "--detach", "--port", "0"],
    ...["claude-code", "codex", "gemini", "copilot"].map((agent) => ["attach", agent]),
    ...["ts", "js", "sh", "python"].map((language) => ["hooks", "new", `guard-${language}`, "--language", language]),
    ["rules", "add", "destructive-shell"],
    ["emit", "agent:step", "--payload", "{}"],
    ["status"],
  ];
  for (const command of commands) {
    const { code, err } = await home.runWith({ node }, ...command);
    expect([command, code, err]).toEqual([command, 0, expect.any(String)]);
  }
  expect(openToOthers(home.folder)).toEqual([]);
  expect(statSync(join(home.folder, "config", "hookline", "hooks", "guard-sh", "handler.sh")).mode & 0o777).toBe(0o700);
});
