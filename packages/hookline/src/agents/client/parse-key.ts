// Imports nothing: the Node client reads this file, and loading the core would take 100 ms.

/** The secrets and the address that the clients of attached agents use. */
export interface AttachKey {
  /** Authorizes them to ask. */
  readonly token: string;
  /** Proves to them that the answer comes from the hub. */
  readonly seal: string;
  /** The hub's current address, if it differs from the one that was written into the clients. */
  readonly socket?: string;
}

/** The characters of tokens and seals. */
export const SECRET = /^[\w-]{16,512}$/;

/** Reads what `encodeKey` wrote. Undefined for anything else. */
export function parseKey(text: string): AttachKey | undefined {
  const [, seal = "", token = "", , socket] =
    /^# (\S+)\nheader = "Authorization: Bearer ([^"\n]+)"\n(unix-socket = "((?:[^"\\\n]|\\.)+)"\n)?$/.exec(text) ?? [];
  if (!SECRET.test(seal) || !SECRET.test(token)) return undefined;
  return socket === undefined ? { token, seal } : { token, seal, socket: socket.replace(/\\(.)/g, "$1") };
}
