import { HookError } from "@hookline/core";

/** The file's name in the folder `attach` of the state folder; to be written for its owner alone. */
export const KEY_FILE = "key";

/** What the clients of attached agents know. */
export interface AttachKey {
  /** Lets them ask. */
  readonly token: string;
  /** Shows them that it is the hub that answers. */
  readonly seal: string;
  /** Where the hub listens now, if that is not where the clients were told when they were written. */
  readonly socket?: string;
}

const SECRET = /^[\w-]{16,512}$/;

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

/** Reads what `encodeKey` wrote; nothing when it is anything else. */
export function parseKey(text: string): AttachKey | undefined {
  const [, seal = "", token = "", , socket] =
    /^# (\S+)\nheader = "Authorization: Bearer ([^"\n]+)"\n(unix-socket = "((?:[^"\\\n]|\\.)+)"\n)?$/.exec(text) ?? [];
  if (!SECRET.test(seal) || !SECRET.test(token)) return undefined;
  return socket === undefined ? { token, seal } : { token, seal, socket: socket.replace(/\\(.)/g, "$1") };
}

function escaped(path: string): string {
  if (!/[\0\r\n]/.test(path)) return path.replace(/[\\"]/g, "\\$&");
  throw new HookError(
    "HL_BAD_OPTION",
    `The socket's path ${JSON.stringify(path)} has a line end in it. Set XDG_RUNTIME_DIR to another folder.`,
  );
}
