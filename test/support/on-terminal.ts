import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { CliHome } from "./cli-home.ts";

const main = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

interface OnTerminal {
  readonly out: string;
  /** Waits until the text is on the screen, behind what was waited for before. */
  shows(text: string): Promise<void>;
  /** Keys as a keyboard sends them: `\r` is Enter, `\x03` Ctrl-C. */
  press(keys: string): void;
  readonly ended: Promise<number | null>;
}

/** The built command line on a terminal of its own, with a person at it. `script`, of util-linux, makes the terminal. */
export function startOnTerminal(home: CliHome, args: readonly string[], more: NodeJS.ProcessEnv = {}): OnTerminal {
  return commandOnTerminal([process.execPath, main, ...args], { env: { ...home.env, ...more }, cwd: home.folder });
}

/** Any command on a terminal of its own. */
export function commandOnTerminal(
  command: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): OnTerminal {
  const words = command.map((word) => `'${word}'`);
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", words.join(" "), "/dev/null"], {
    env: { ...env, TERM: "xterm", NO_COLOR: "1" },
    cwd,
  });
  let out = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (out += text));
  return {
    get out() {
      return out;
    },
    async shows(text) {
      await expect.poll(() => out.slice(seen)).toContain(text);
      seen = out.indexOf(text, seen) + text.length;
    },
    press: (keys) => void child.stdin.write(keys),
    ended: new Promise((resolve) => child.on("close", (code) => resolve(code))),
  };
}
