import { createHash } from "node:crypto";
import { z } from "zod";

/** A question of a host as the fleet sees it, without secrets. */
const questionSchema = z.object({
  format: z.literal(1),
  id: z.string().max(300),
  event: z.string().max(300),
  /** The hash of what would run. */
  hash: z.string().max(128),
  /** The guard that asks. */
  by: z.string().max(1000),
  askedAt: z.number(),
  expiresAt: z.number(),
  payload: z.unknown(),
  asked: z.unknown().exactOptional(),
  reason: z.string().max(10_000).exactOptional(),
  asks: z.array(z.object({ by: z.string(), reason: z.string().exactOptional() })).exactOptional(),
  app: z.string().max(300).exactOptional(),
  session: z.string().max(300).exactOptional(),
  cwd: z.string().max(5000).exactOptional(),
  /** The hash of the call, for `always`. Missing for what cannot be allowed for good. */
  call: z.string().max(128).exactOptional(),
  /** The payload was too large for a message, and is in the events of the host only. */
  isCut: z.boolean().exactOptional(),
});
export type Question = Readonly<z.output<typeof questionSchema>>;

/** A question together with the host whose credential published it. */
export interface HostQuestion extends Question {
  readonly host: string;
  /** The digest of the message. An answer names it. */
  readonly shown: string;
}

/** Below the server's `max_payload` of 1 MB, with room for headers. */
const MAX_BYTES = 512 * 1024;

/** The last token of the subjects of a question. Its id may be any text, and a process that lost its hub asks again under the same id. */
export function questionKey({ id, askedAt }: Pick<Question, "id" | "askedAt">): string {
  return createHash("sha256").update(`${askedAt} ${id}`).digest("hex").slice(0, 32);
}

/** The digest of a question as it was published. */
export function shownDigest(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

export function encodeQuestion(question: Question): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(question));
  if (bytes.length <= MAX_BYTES) return bytes;
  const { asked: _, ...rest } = question;
  return Buffer.from(JSON.stringify({ ...rest, payload: nameOnly(question.payload), isCut: true }));
}

/** The tool's name is what a person needs at least; the whole call is on its host. */
function nameOnly(payload: unknown): unknown {
  const { tool } = Object(payload) as { readonly tool?: { readonly name?: unknown } };
  return { ...(typeof tool?.name === "string" && { tool: { name: tool.name.slice(0, 300) } }) };
}

/** `undefined` for bytes that are not a question. */
export function decodeQuestion(data: Uint8Array): Question | undefined {
  try {
    return questionSchema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data)));
  } catch {
    return undefined;
  }
}
