// Imports nothing: the client in Node reads it, and would wait 100 ms for the core.

/** What the clients of attached agents know. */
export interface AttachKey {
  /** Lets them ask. */
  readonly token: string;
  /** Shows them that it is the hub that answers. */
  readonly seal: string;
  /** Where the hub listens now, if that is not where the clients were told when they were written. */
  readonly socket?: string;
}

/** What tokens and seals are made of. */
export const SECRET = /^[\w-]{16,512}$/;

/** Reads what `encodeKey` wrote; nothing when it is anything else. */
export function parseKey(text: string): AttachKey | undefined {
  const [, seal = "", token = "", , socket] =
    /^# (\S+)\nheader = "Authorization: Bearer ([^"\n]+)"\n(unix-socket = "((?:[^"\\\n]|\\.)+)"\n)?$/.exec(text) ?? [];
  if (!SECRET.test(seal) || !SECRET.test(token)) return undefined;
  return socket === undefined ? { token, seal } : { token, seal, socket: socket.replace(/\\(.)/g, "$1") };
}
