import { execFile } from "node:child_process";
import { HookError } from "@hookline/core";
import type { SendResult } from "@hookline/core/sinks";
import type { Message } from "../message.js";
import type { NotifyTarget } from "../target.js";

const TIMEOUT_MS = 10_000;
/** The texts are arguments of the script, so nothing in them is code. */
const APPLE_SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";

const programs: { readonly [platform: string]: (message: Message) => readonly [program: string, ...args: string[]] } = {
  linux: ({ title, text, isUrgent }) => [
    "notify-send",
    "--app-name=Hookline",
    `--urgency=${isUrgent ? "critical" : "normal"}`,
    "--",
    title,
    withoutMarkup(text),
  ],
  darwin: ({ title, text }) => ["/usr/bin/osascript", "-e", APPLE_SCRIPT, title, text],
};

/** Desktops show the body of a notification as markup, in which an agent could hide a part of its call, or put a link. */
function withoutMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export const desktop: NotifyTarget = {
  type: "desktop",
  what: "Shows a notification on this machine's desktop, with `notify-send` or `osascript`.",
  options: {},
  open(_, name) {
    const commandOf = programs[process.platform];
    if (commandOf === undefined)
      throw new HookError("HL_BAD_OPTION", `notify "${name}": there is no desktop notification on ${process.platform}.`);
    return { send: (message, signal) => run(commandOf(message), signal), close: () => {} };
  },
};

function run([program, ...args]: readonly [string, ...string[]], signal: AbortSignal): Promise<SendResult> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: TIMEOUT_MS, signal }, (error) => {
      if (error === null) return resolve({ status: "sent" });
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      const why = isMissing ? "it is not installed" : "it failed; the hub may run outside your desktop session";
      resolve({
        status: isMissing ? "failed" : "retry",
        cause: new HookError("HL_NOTIFY", `${program} did not show a notification: ${why}.`),
      });
    });
  });
}
