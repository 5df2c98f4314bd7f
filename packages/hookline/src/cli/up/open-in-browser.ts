import type { Terminal } from "../terminal.js";

const openers: { readonly [platform: string]: readonly [command: string, ...args: string[]] } = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address of the hub's in the browser; where there is none, the link is there to be clicked. */
export function openInBrowser(url: string, { say }: Terminal): void {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const { spawn } = process.getBuiltinModule("node:child_process");
  say(`Opening ${url}`);
  spawn(command, [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => say(`No browser could be started. The link: ${url}`))
    .unref();
}
