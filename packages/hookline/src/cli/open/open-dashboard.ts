import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openFolder, replacePrivately, stateFolder } from "@hookline/core/internal/machine";
import type { LinkAnswer } from "../../hub/protocol.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

const FILE = "open.html";

const SAFARI = "Safari cannot resolve that address. For Safari: hookline open --host 127.0.0.1";

interface LinkOptions {
  /** Whether the dashboard may answer approvals. */
  readonly approve?: boolean;
  /** An address of the hub other than the local one. */
  readonly host?: string | undefined;
}

/** A link that opens the dashboard once; view-only by default. */
export async function makeLink(env: NodeJS.ProcessEnv, { approve = false, host }: LinkOptions = {}): Promise<LinkAnswer> {
  const hub = await connectHub(env);
  const scopes = approve ? ["read", "approve"] : ["read"];
  return hub.post<LinkAnswer>("/api/login/link", JSON.stringify({ scopes, host }));
}

/** Opens the link through a private file, because every user of the machine can read command lines. */
export function openDashboard(link: string, terminal: Terminal): void {
  const folder = openFolder(stateFolder(terminal.env));
  replacePrivately(folder, FILE, redirectTo(link));
  openInBrowser(pathToFileURL(join(folder, FILE)).href, terminal);
  if (process.platform === "darwin" && new URL(link).hostname.endsWith(".localhost")) terminal.say(SAFARI);
}

function redirectTo(link: string): string {
  return `<!doctype html>\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n<meta http-equiv="refresh" content="0;url=${link}">\n<title>Hookline</title>\n<a href="${link}">Open the dashboard</a>\n`;
}

const openers: { readonly [platform: string]: readonly [command: string, ...args: string[]] } = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the browser. If no browser can be started, the user can click the link. */
function openInBrowser(url: string, { say }: Terminal): void {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const { spawn } = process.getBuiltinModule("node:child_process");
  say(`Opening ${url}`);
  spawn(command, [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => say(`No browser could be started. Open this link: ${url}`))
    .unref();
}
