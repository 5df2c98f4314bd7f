import { createHash } from "node:crypto";
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

/** The header in which a client sends its nonce. */
export const NONCE_HEADER = "x-hookline-nonce";
/** 16 to 64 bytes in hexadecimal. */
export const NONCE = /^[0-9a-f]{32,128}$/;

/** The question that a reply answers. The MAC covers it, so an answer to another question is refused. */
export interface Question {
  readonly nonce: string;
  readonly agent: string;
  /** The event, by the agent's name for it. */
  readonly native: string;
}

/**
 * A reply on the wire: any number of blank lines, then `hookline <mac> <exit code> <stdout bytes> <stderr bytes>`, stdout, stderr and `end`. Without
 * a question, the client is of an older version: it expects the seal itself in place of the MAC.
 */
export function encodeReply(seal: string, reply: HookReply, question?: Question): Buffer {
  const stdout = Buffer.from(carriable(reply.stdout));
  const stderr = Buffer.from(carriable(reply.stderr));
  const lengths = `${reply.exitCode} ${stdout.length} ${stderr.length}${SEPARATOR}`;
  const said = Buffer.concat([Buffer.from(lengths), stdout, Buffer.from(SEPARATOR), stderr, Buffer.from(SEPARATOR + END)]);
  const proof = question === undefined ? seal : macOf(seal, question, said);
  const body = Buffer.concat([Buffer.from(`${SEPARATOR}hookline ${proof} `), said]);
  if (body.length <= MAX_REPLY_BYTES) return body;
  throw new HookError("HL_LIMIT", `A reply of ${body.length} bytes is more than the ${MAX_REPLY_BYTES} that an agent's client accepts.`, {
    fix: "Shorten the reply.",
  });
}

/** The reply in an answer. Undefined if it is incomplete, malformed or answers another question. The clients make the same checks. */
export function readReply(seal: string, body: Buffer, question: Question): HookReply | undefined {
  if (body.length > MAX_REPLY_BYTES) return undefined;
  // One character per byte, so that lengths count bytes.
  const text = body.toString("latin1");
  const start = text.indexOf(SEPARATOR);
  const [, mac, said = ""] = /^hookline ([0-9a-f]{64}) ([\s\S]*)$/.exec(text.slice(start + 1)) ?? [];
  if (!/^\n*$/.test(text.slice(0, Math.max(0, start))) || mac !== macOf(seal, question, Buffer.from(said, "latin1"))) return undefined;
  const [head = "", stdout = "", stderr = "", end, ...more] = said.split(SEPARATOR);
  const [, code] = /^(0|[1-9]\d{0,2}) /.exec(head) ?? [];
  if (end !== END || more.length > 0 || code === undefined || Number(code) > 255) return undefined;
  if (head !== `${code} ${stdout.length} ${stderr.length}`) return undefined;
  return { stdout: utf8(stdout), stderr: utf8(stderr), exitCode: Number(code) };
}

/**
 * SHA-256(seal, SHA-256(seal, question, reply)). The outer hash prevents that a known MAC can be extended. This is not HMAC, because a shell can
 * give text to `sha256sum`, but not the bytes that HMAC needs.
 */
function macOf(seal: string, { nonce, agent, native }: Question, said: Buffer): string {
  const inner = createHash("sha256").update(`${seal} ${nonce} ${agent} ${native} `).update(said).digest("hex");
  return createHash("sha256").update(`${seal} ${inner}`).digest("hex");
}

/** A shell cannot hold a NUL, and the separator may stand only between parts. JSON contains neither, so only plain text can lose characters here. */
function carriable(text: string): string {
  return text.replaceAll("\0", "\ufffd").replaceAll(SEPARATOR, "\ufffd");
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
