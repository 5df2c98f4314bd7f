import { readFileSync } from "node:fs";
import { request } from "node:http";
import { argv, exit, stdin, stdout } from "node:process";
import { parseKey } from "./parse-key.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

// Replaces curl if it is not installed: sends stdin, prints the answer as it arrives, and exits with curl's codes. The script checks the answer.
const FAILED = { connect: 7, status: 22, key: 26, time: 28, broken: 56, size: 63 } as const;
const [, , socket = "", keyFile = "", url = "", limit = "", silence = ""] = argv;

setTimeout(() => exit(FAILED.time), Number(limit) * 1000);
await send();

async function send(): Promise<void> {
  const key = readKey();
  const headers = { authorization: `Bearer ${key.token}`, "content-type": "application/json" };
  const asked = request(url, { method: "POST", socketPath: key.socket ?? socket, agent: false, headers });
  asked.on("error", () => exit(FAILED.connect));
  asked.setTimeout(Number(silence) * 1000, () => exit(FAILED.time));
  asked.on("response", (answer) => {
    if ((answer.statusCode ?? 500) >= 400) exit(FAILED.status);
    const parts: Buffer[] = [];
    let bytes = 0;
    answer.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > MAX_REPLY_BYTES) exit(FAILED.size);
      parts.push(part);
    });
    answer.on("error", () => exit(FAILED.broken));
    answer.on("end", () => stdout.write(Buffer.concat(parts), () => exit(answer.complete ? 0 : FAILED.broken)));
  });
  asked.end(await readInput());
}

async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function readKey() {
  try {
    return parseKey(readFileSync(keyFile, "utf8")) ?? exit(FAILED.key);
  } catch {
    return exit(FAILED.key);
  }
}
