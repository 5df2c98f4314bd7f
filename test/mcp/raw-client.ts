import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { MAIN } from "./mcp-home.ts";

const CLIENT = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
};

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
type Json = any;

/** A client of revision 2026-07-28 that writes its own messages. */
export class RawClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<unknown, (answer: Json) => void>();
  readonly heard: Json[] = [];
  errors = "";
  #next = 1;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [MAIN, ...args], { env });
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.errors += chunk.toString();
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      const answer = this.#waiting.get(message.id);
      if (answer === undefined) this.heard.push(message);
      else answer(message);
    });
  }

  /** Sends a request with the envelope, unless it has a `_meta` of its own, and gives the answer. */
  ask(method: string, params: Json = {}): Promise<Json> {
    const id = this.#next++;
    const answered = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.tell({ id, method, params: { _meta: CLIENT, ...params } });
    return answered;
  }

  tell(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  call(name: string, input: object, more: object = {}): Promise<Json> {
    return this.ask("tools/call", { name, arguments: input, ...more });
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await new Promise((resolve) => this.#child.once("exit", resolve));
  }
}
