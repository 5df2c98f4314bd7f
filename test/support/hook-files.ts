import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes files below a folder and gives the folder. */
export function putFiles(folder: string, files: { readonly [path: string]: string }): string {
  for (const [path, text] of Object.entries(files)) {
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
    writeFileSync(at, text, { mode: 0o600 });
  }
  return folder;
}

/** A HOOK.yaml for a guard of tool calls, of ours and closed unless `more` says otherwise. */
export function hookYaml(name: string, more = ""): string {
  const mode = /onFailure|stage/.test(more) ? "" : "onFailure: closed\n";
  return `name: ${name}\nevents: ["tool:before"]\n${mode}${more}`;
}

/** A handler.mjs that denies with a reason. */
export function denying(reason: string): string {
  return `export const handle = () => ({ decision: "deny", reason: ${JSON.stringify(reason)} });\n`;
}

export const call = (command = "ls", more: object = {}) => ({ tool: { name: "Bash", callId: "1", input: { command } }, ...more });

/** An extension.json for a program beside it, `main.mjs`. */
export function extensionJson(name: string, more: object = {}): string {
  const hooks = [{ event: "tool:before" }];
  return JSON.stringify({
    protocol: 1,
    name,
    command: process.execPath,
    args: ["main.mjs"],
    permissions: ["tools.intercept"],
    hooks,
    ...more,
  });
}

/** A program that denies with its own process id and a reason: `<pid> <reason>`. */
export function denyingProgram(reason: string): string {
  return `
    let held = "";
    const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    process.stdin.setEncoding("utf8").on("data", (chunk) => {
      const lines = (held + chunk).split("\\n");
      held = lines.pop();
      for (const { id, method } of lines.map((line) => JSON.parse(line))) {
        if (method === "initialize") say(id, { protocolVersion: 1 });
        if (method === "hook.handle") say(id, { decision: "deny", reason: process.pid + " " + ${JSON.stringify(reason)} });
        if (method === "shutdown") { say(id, null); process.exit(0); }
      }
    });
  `;
}
