import { HookError } from "@hookline/core";
import { type AttachKey, SECRET } from "./parse-key.js";

export { type AttachKey, parseKey } from "./parse-key.js";

/** The name of the file in the folder `attach` of the state folder. Only its owner may read it. */
export const KEY_FILE = "key";

/**
 * The key in the clients' format. It is a configuration file of `curl`, so the token is not on a command line or in a variable, and the shell reads
 * its first line. Neither needs an extra process.
 */
export function encodeKey({ token, seal, socket }: AttachKey): string {
  for (const [name, value] of Object.entries({ token, seal }))
    if (!SECRET.test(value))
      throw new HookError("HL_BAD_OPTION", `The ${name} of attached agents must be 16 to 512 letters, digits, "-" or "_".`);
  const lines = [`# ${seal}`, `header = "Authorization: Bearer ${token}"`];
  if (socket !== undefined) lines.push(`unix-socket = "${escaped(socket)}"`);
  return `${lines.join("\n")}\n`;
}

function escaped(path: string): string {
  if (!/[\0\r\n]/.test(path)) return path.replace(/[\\"]/g, "\\$&");
  throw new HookError("HL_BAD_OPTION", `The socket's path ${JSON.stringify(path)} contains a line break.`, {
    fix: "Set XDG_RUNTIME_DIR to another folder.",
  });
}
