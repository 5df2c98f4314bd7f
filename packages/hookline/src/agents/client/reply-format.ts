import { HookError } from "@hookline/core";
import type { HookReply } from "../shared/definition.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/** The content type of a sealed reply. */
export const REPLY_TYPE = "application/x-hookline-reply";
/**
 * What the hub sends every `KEEPALIVE_MS` while a person decides. A client that receives nothing for `SILENCE_MS` gives up. `curl` measures whole
 * bytes per second over 5 s, so a single blank line every 2 s would count as silence.
 */
export const KEEPALIVE = "\n".repeat(16);
export const KEEPALIVE_MS = 2_000;
export const SILENCE_MS = 6_000;
/** Separates the parts. A shell can split long text by it in one step without changing any other byte. */
export const SEPARATOR = "\u001f";

const END = "end\n";

/** A reply on the wire: any number of blank lines, then `hookline <seal> <exit code> <stdout bytes> <stderr bytes>`, stdout, stderr and `end`. */
export function encodeReply(seal: string, reply: HookReply): Buffer {
  const stdout = Buffer.from(carriable(reply.stdout));
  const stderr = Buffer.from(carriable(reply.stderr));
  const head = Buffer.from(`${SEPARATOR}hookline ${seal} ${reply.exitCode} ${stdout.length} ${stderr.length}${SEPARATOR}`);
  const body = Buffer.concat([head, stdout, Buffer.from(SEPARATOR), stderr, Buffer.from(SEPARATOR + END)]);
  if (body.length <= MAX_REPLY_BYTES) return body;
  throw new HookError("HL_LIMIT", `A reply of ${body.length} bytes is more than the ${MAX_REPLY_BYTES} that an agent's client accepts.`, {
    fix: "Shorten the reply.",
  });
}

/** The reply in an answer. Undefined if it is incomplete, malformed or has another seal. The generated script makes the same checks. */
export function readReply(seal: string, body: Buffer): HookReply | undefined {
  if (body.length > MAX_REPLY_BYTES) return undefined;
  // One character per byte, so that lengths count bytes.
  const [lead = "", head = "", stdout = "", stderr = "", end, ...more] = body.toString("latin1").split(SEPARATOR);
  const [, code] = /^hookline \S+ (0|[1-9]\d{0,2}) /.exec(head) ?? [];
  const isWhole = /^\n*$/.test(lead) && end === END && more.length === 0;
  if (!isWhole || code === undefined || Number(code) > 255) return undefined;
  if (head !== `hookline ${seal} ${code} ${stdout.length} ${stderr.length}`) return undefined;
  return { stdout: utf8(stdout), stderr: utf8(stderr), exitCode: Number(code) };
}

/** A shell cannot hold a NUL, and the separator may stand only between parts. JSON contains neither, so only plain text can lose characters here. */
function carriable(text: string): string {
  return text.replaceAll("\0", "\ufffd").replaceAll(SEPARATOR, "\ufffd");
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
