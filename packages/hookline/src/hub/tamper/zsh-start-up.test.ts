import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { noManagedMachine } from "../../../../../test/support/managed-machine.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";

const dist = (path: string) => JSON.stringify(new URL(`../../../dist/${path}`, import.meta.url).href);

/** Attaches Codex and watches, as the hub does; then `.zshenv` is written, changed and put back. Prints what is an alarm. */
const WATCHING = `
import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { findAgent } from ${dist("agents/agents.js")};
import { applyAttach, planAttach } from ${dist("agents/attach/plan-attach.js")};
import { attachFolder } from ${dist("agents/client/attach-key.js")};
import { createTamper } from ${dist("hub/tamper/tamper.js")};
const [home] = process.argv.slice(1);
const env = { HOME: home, PATH: process.env.PATH };
const [state, file] = [home + "/state", home + "/.zshenv"];
const attach = attachFolder(state);
applyAttach(planAttach({ agent: findAgent("codex"), target: "user", isStrict: true, env, cwd: home, folder: attach, socket: home + "/http.sock" }));
const alarms = [];
const tamper = createTamper({ state, attach, env, mode: () => "protect", onProblem: console.error, raise: (alarm) => alarms.push(alarm) });
tamper.start();
writeFileSync(home + "/other", "x");
for (const text of ["exit 0\\n", "exit 1\\n"]) {
  const before = alarms.length;
  writeFileSync(file, text);
  while (alarms.length === before) await setTimeout(20);
}
process.stdout.write(JSON.stringify({ watched: tamper.files().includes(file), alarms }));
process.exit(0);
`;

it.skipIf(noManagedMachine !== undefined)("a change of .zshenv is an alarm where the shell of Codex's hooks is zsh", () => {
  const home = testFolder();
  mkdirSync(join(home, "state"), { mode: 0o700 });
  const accounts = readFileSync("/etc/passwd", "utf8").replace(/^(root:.*:)[^:]*$/m, "$1/bin/zsh");
  writeFileSync(join(home, "passwd"), accounts);
  const script = 'mount --make-rprivate / && mount --bind "$1" /etc/passwd && exec "$2" --input-type=module -e "$3" "$4"';
  const args = [join(home, "passwd"), process.execPath, WATCHING, home];
  const { stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", script, "sh", ...args], { encoding: "utf8", timeout: 60_000 });
  expect(stderr).toBe("");
  const fault = { kind: "tampered", agent: "codex", path: join(home, ".zshenv"), fix: { run: "hookline attach codex --check" } };
  const text = expect.stringContaining("runs it first: it can skip them.");
  expect(JSON.parse(stdout)).toEqual({
    watched: true,
    alarms: [
      { ...fault, text },
      { ...fault, text },
    ],
  });
});
