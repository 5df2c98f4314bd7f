import type { IncomingMessage } from "node:http";
import { badRequest, Refused } from "./refused.js";

/** How many bytes of bodies may be in memory at once, whoever they are from. */
const MAX_OPEN_BYTES = 256 * 1024 * 1024;
let openBytes = 0;

/** The whole body. Throws 413 as soon as it is too large, whatever its length was said to be. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      openBytes += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (openBytes > MAX_OPEN_BYTES)
        throw new Refused(429, "HL_TOO_MANY", "Too many bodies at once.", { headers: { "Retry-After": "1" } });
      chunks.push(chunk);
    }
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  } catch (cause) {
    throw cause instanceof Refused ? cause : badRequest("The body ended before it was whole.");
  } finally {
    openBytes -= length;
  }
}

function tooLarge(maxBytes: number): Refused {
  const message = `The body is larger than ${maxBytes} bytes.`;
  return new Refused(413, "HL_BODY_TOO_LARGE", message, { fix: "Send it in several requests." });
}
