import { spawn } from "node:child_process";
import { join } from "node:path";
import type { AgentProgram } from "../../agents/attach/programs.js";
import { readInstalled } from "../../agents/install/installed.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import type { AttachSetting } from "./attach-setting.js";
import { askByHttp, type CanaryAnswer } from "./canary.js";

/** `hookline attach <agent> --check`: what the agent would do, with a call that must be denied. */
export async function checkAttached(program: AgentProgram, setting: AttachSetting, terminal: Terminal): Promise<number> {
  const { title, id } = program.dialect;
  const found = readInstalled(setting.folder).filter(({ agent }) => agent === id);
  if (found.length === 0) throw new CliError(`${title} is not attached.`, { next: `hookline attach ${id}` });
  let isGood = true;
  for (const { path, entries } of found) {
    const answer = await ask(program, JSON.stringify(entries), setting);
    isGood &&= answer.isDenied;
    const mark = answer.isDenied ? terminal.paint("green", "ok  ") : terminal.paint("red", "FAIL");
    terminal.print(`${mark} ${inert(path)}: the canary was ${answer.isDenied ? "denied" : "let through"} (${inert(answer.how)})`);
  }
  if (program.note !== undefined) terminal.say(program.note);
  return isGood ? EXIT.ok : EXIT.failed;
}

/** The way the entries say: through the script, or by HTTP. */
function ask(program: AgentProgram, entries: string, setting: AttachSetting): Promise<CanaryAnswer> {
  const { canary } = program;
  const url = /https?:[^"\\]+\/api\/agents\/[^"\\]+/.exec(entries)?.[0];
  const direct = entries.includes(`/api/agents/${program.dialect.id}/${canary.event}?`);
  if (direct && url !== undefined) return askByHttp(url.replace(/\/[^/]+$/, `/${canary.event}?plain=1`), canary, setting.http.token);
  const name = entries.includes("-strict.sh") ? `${program.dialect.id}-strict.sh` : `${program.dialect.id}.sh`;
  return askByScript(join(setting.folder, name), canary);
}

function askByScript(script: string, { event, payload }: AgentProgram["canary"]): Promise<CanaryAnswer> {
  return new Promise((resolve) => {
    const child = spawn("sh", [script, event], { stdio: ["pipe", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on("error", () => {});
    child.on("error", (error) => resolve({ isDenied: false, how: error.message }));
    child.on("close", (code) =>
      resolve({ isDenied: code === 2 || /deny|block/.test(out), how: `exit code ${code}, ${JSON.stringify((out || err).slice(0, 200))}` }),
    );
    child.stdin.end(JSON.stringify(payload));
  });
}
