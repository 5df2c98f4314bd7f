import { type IncomingMessage, STATUS_CODES } from "node:http";
import { lost, noAnswer } from "./url-errors.js";

const MAX_BYTES = 1_048_576;

/** The JSON a server answered with, as text; empty where it says nothing. Rejects with a HookError for everything else. */
export async function readAnswer(response: IncomingMessage): Promise<string> {
  const fault = faultInHead(response);
  if (fault !== undefined) {
    response.destroy();
    throw noAnswer(fault);
  }
  const body = await readBody(response);
  const text = decode(body);
  if (text.trim() === "" && !saysItsLength(response))
    throw noAnswer("Its answer is empty, and has no length to tell it from one that was cut off. Send 204, or `content-length: 0`.");
  if (body.length > 0) checkJson(text, response);
  return text;
}

function faultInHead({ statusCode: status = 0, headers }: IncomingMessage): string | undefined {
  if (status >= 300 && status < 400) return `It answered ${named(status)}, and redirects are not followed. Give the final URL.`;
  if (status < 200 || status >= 300) return `It answered ${named(status)}. Only 2xx is an answer: mend the server or the URL.`;
  const encoding = headers["content-encoding"];
  return encoding === undefined || /^identity$/i.test(encoding) ? undefined : "Its answer is compressed, which was not asked for.";
}

function named(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

function readBody(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= MAX_BYTES) return;
      reject(noAnswer(`Its answer is longer than ${MAX_BYTES} bytes. Send the verdict alone.`, "invalid_verdict"));
      response.destroy();
    });
    response.on("end", () => (response.complete ? resolve(Buffer.concat(chunks)) : reject(lost("half a body"))));
    response.on("error", (error) => reject(lost(error)));
    response.on("close", () => reject(lost("half a body")));
  });
}

// Without a length a body ends with the connection, and so does one whose server died before its first byte.
function saysItsLength({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw noAnswer("Its answer is not UTF-8.");
  }
}

function checkJson(text: string, { headers }: IncomingMessage): void {
  if (!/^\s*application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    throw noAnswer("Its answer is not declared as JSON. Send it with `content-type: application/json`, or send no body.");
  try {
    if (text.trim() !== "") JSON.parse(text);
  } catch {
    // Without the parser's error, which quotes what was sent.
    throw noAnswer("Its answer is not one JSON document. Send the verdict alone.");
  }
}
