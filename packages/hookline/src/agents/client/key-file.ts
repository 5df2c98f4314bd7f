import { HookError } from "@hookline/core";
import { type AttachKey, SECRET } from "./parse-key.js";

export { type AttachKey, parseKey } from "./parse-key.js";

/** The file's name in the folder `attach` of the state folder; to be written for its owner alone. */
export const KEY_FILE = "key";

/**
 * The key as the clients read it. It is a configuration file of `curl`, so that the token is on no command line and in no variable, and
 * its first line is read by the shell: neither needs a process of its own.
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
  throw new HookError(
    "HL_BAD_OPTION",
    `The socket's path ${JSON.stringify(path)} has a line end in it. Set XDG_RUNTIME_DIR to another folder.`,
  );
}
