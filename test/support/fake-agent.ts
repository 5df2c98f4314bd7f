import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { CliHome } from "./cli-home.js";

/** Stands in for Claude Code: reads its settings, runs the hooks of one tool call, and does the call unless one denies. */
const program = `
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const args = process.argv.slice(2);
const after = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const given = after("--settings");
const files = [process.env.HOME + "/.claude/settings.json", ".claude/settings.local.json", given];
const entries = files.filter((file) => file && existsSync(file)).flatMap((file) => JSON.parse(readFileSync(file, "utf8")).hooks?.PreToolUse ?? []);
const payload = JSON.stringify({ session_id: "s1", hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "t" + process.pid, tool_input: { command: after("--do") ?? "ls" } });
let denied;
for (const { type, command, url, headers } of entries.flatMap(({ hooks }) => hooks)) {
  const said = type === "http"
    ? await fetch(url, { method: "POST", body: payload, headers: { ...headers, "content-type": "application/json" } }).then((answer) => answer.text(), () => "")
    : spawnSync("sh", ["-c", command], { input: payload, encoding: "utf8" }).stdout;
  const { permissionDecision, permissionDecisionReason } = (said === "" ? {} : JSON.parse(said)).hookSpecificOutput ?? {};
  if (permissionDecision === "deny") denied = permissionDecisionReason;
}
const stdin = args.includes("--read") ? readFileSync(0, "utf8") : "";
console.log(JSON.stringify({ hooks: entries.length, denied, stdin, args, settings: given && existsSync(given) ? JSON.parse(readFileSync(given, "utf8")) : undefined }));
if (args.includes("--linger")) {
  process.on("SIGTERM", () => { console.log("told to end"); process.exit(9); });
  setInterval(() => {}, 1000);
  console.log("up");
} else if (args.includes("--die")) process.kill(process.pid, "SIGKILL");
else process.exitCode = Number(after("--exit") ?? 0);
`;

/** It has the version that the test gives it, and none otherwise. */
const VERSION = '[ "$1" != --version ] || { echo "$FAKE_VERSION"; exit; }';

/** What it printed. */
export interface FakeRun {
  readonly hooks: number;
  readonly denied?: string;
  readonly stdin: string;
  readonly args: readonly string[];
  readonly settings?: { readonly [key: string]: unknown };
}

/** Puts programs of these names into a folder of the home, and gives the PATH with it in front. */
export function putFakeAgent(home: CliHome, ...names: readonly string[]): string {
  const script = home.write("fake/agent.mjs", program);
  for (const name of names) {
    const path = home.write(join("fake", "bin", name), `#!/bin/sh\n${VERSION}\nexec '${process.execPath}' '${script}' "$@"\n`);
    chmodSync(path, 0o755);
  }
  return [join(home.folder, "fake", "bin"), home.env.PATH ?? ""].join(delimiter);
}
