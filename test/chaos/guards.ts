import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Crew } from "../faults/processes.ts";
import { putFiles } from "../support/hook-files.ts";

/** Ways in which the process guard misbehaves; in each, a call that it has not let pass itself must be denied. */
export const MODES = ["loop", "late", "twice", "another", "flood", "deaf", "crash", "nonsense", "grandchild"] as const;
export type Mode = (typeof MODES)[number] | "good";

export const GUARD_NAMES = ["process-guard", "folder-guard"] as const;
export type GuardName = (typeof GUARD_NAMES)[number];
const TIMEOUT_MS = 2_000;

/** Two closed guards of every call, a process and a folder. Each writes down what it lets pass, before it says so. */
export class Guards {
  readonly #crew: Crew;

  constructor(crew: Crew) {
    this.#crew = crew;
    const hook = { event: "tool:before", onFailure: "closed", timeoutMs: TIMEOUT_MS };
    const manifest = { protocol: 1, name: "process-guard", command: process.execPath, args: ["guard.mjs"], hooks: [hook] };
    putFiles(join(crew.folder, "config", "hookline", "hooks"), {
      "process-guard/extension.json": JSON.stringify({ ...manifest, permissions: ["tools.intercept"] }),
      "process-guard/guard.mjs": processGuard(this.log("process-guard"), this.#modeFile, this.#actsFile),
      "folder-guard/HOOK.yaml": `name: folder-guard\nevents: [tool:before]\nonFailure: closed\ntimeoutMs: ${TIMEOUT_MS}\n`,
      "folder-guard/handler.py": folderGuard(this.log("folder-guard")),
    });
    for (const guard of GUARD_NAMES) writeFileSync(this.log(guard), "");
    writeFileSync(this.#actsFile, "");
    this.behave("good");
  }

  /** The folder a guard runs in. */
  folder(guard: GuardName): string {
    return join(this.#crew.folder, "config", "hookline", "hooks", guard);
  }

  passedBy(guard: GuardName): Set<string> {
    return new Set(readFileSync(this.log(guard), "utf8").split("\n"));
  }

  behave(mode: Mode): void {
    writeFileSync(this.#modeFile, mode);
  }

  /** How often it has misbehaved in that way. */
  actsOf(mode: Mode): number {
    return readFileSync(this.#actsFile, "utf8")
      .split("\n")
      .filter((line) => line === mode).length;
  }

  log(guard: GuardName): string {
    return join(this.#crew.folder, `${guard}.log`);
  }

  get #modeFile(): string {
    return join(this.#crew.folder, "guard.mode");
  }

  get #actsFile(): string {
    return join(this.#crew.folder, "guard.acts");
  }
}

function processGuard(log: string, modeFile: string, actsFile: string): string {
  return `
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
let held = "";
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
const pass = (id, command) => { appendFileSync(${JSON.stringify(log)}, command + "\\n"); say(id, null); };
function handle(id, command) {
  const mode = readFileSync(${JSON.stringify(modeFile)}, "utf8");
  if (command.startsWith("forbidden")) return say(id, { decision: "deny", reason: "forbidden" });
  if (mode === "good") return pass(id, command);
  appendFileSync(${JSON.stringify(actsFile)}, mode + "\\n");
  if (mode === "loop") for (;;);
  if (mode === "late") return setTimeout(() => say(id, null), ${TIMEOUT_MS} * 2);
  if (mode === "twice") { say(id, { decision: "deny", reason: "the first answer" }); return say(id, null); }
  if (mode === "another") return say(id + 1_000_000, null);
  if (mode === "flood") { process.stderr.write("flood ".repeat(50_000)); return pass(id, command); }
  if (mode === "deaf") return process.on("SIGTERM", () => {});
  if (mode === "crash") return process.exit(1);
  if (mode === "nonsense") return say(id, { decision: "perhaps" });
  if (mode === "grandchild") { spawn("sleep", ["600"], { stdio: "ignore" }); return pass(id, command); }
}
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (held + chunk).split("\\n");
  held = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (method === "initialize") say(id, { protocolVersion: 1 });
    if (method === "hook.handle") handle(id, params.payload.tool.input.command);
    if (method === "shutdown") { say(id, null); process.exit(0); }
  }
}).on("end", () => process.exit(0));
`;
}

function folderGuard(log: string): string {
  return `
def handle(event_type, context):
    command = context["tool"]["input"]["command"]
    if command.startswith("forbidden"):
        return {"decision": "deny", "reason": "forbidden"}
    with open(${JSON.stringify(log)}, "a") as file:
        file.write(command + "\\n")
`;
}
