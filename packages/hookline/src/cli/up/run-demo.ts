import { fileURLToPath } from "node:url";
import { EXIT } from "../exit-codes.js";
import type { Terminal } from "../terminal.js";

export const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));

/** Runs the scripted agent as a separate process, like a real agent, and returns its exit code. */
export function runDemo({ env, say }: Terminal): Promise<number> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  say("");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, "demo"], { stdio: ["ignore", "inherit", "inherit"], env });
    // The demo must not outlive its hub.
    process.once("exit", () => child.kill());
    child
      .on("error", (error) => {
        say(`The demo could not be started: ${error.message}`);
        resolve(EXIT.failed);
      })
      .on("close", (code) => resolve(code ?? EXIT.failed));
  });
}
