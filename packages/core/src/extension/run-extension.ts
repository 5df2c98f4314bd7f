import { Console } from "node:console";
import { encodeFrame, FrameReader, type Framing, MAX_EVENT_FRAME_BYTES } from "../wire/frame-reader.js";
import { createConversation } from "./conversation.js";
import type { ExtensionOptions } from "./options.js";

/**
 * Answers the host's events over stdin and stdout until it says `shutdown` or goes away; then the process ends.
 * What is printed meanwhile goes to stderr, because stdout carries the protocol.
 *
 *     runExtension({ name: "guard", hooks: { "tool:before": (event) => (isBad(event.payload) ? block("no") : undefined) } });
 */
export function runExtension<H>(options: ExtensionOptions<H>): void {
  const write = takeStdout();
  let framing: Framing = "newline";
  let outbox = "";
  const flush = () => {
    const frames = outbox;
    outbox = "";
    write(frames);
  };
  const send = (text: string) => {
    // What is answered in one turn of the loop goes out in one write.
    if (outbox === "") process.nextTick(flush);
    outbox += encodeFrame(text, framing);
  };
  // Pipes are written synchronously, so nothing is left behind.
  const exit = () => setImmediate(() => process.exit(0));
  const conversation = createConversation(options, send, exit);
  const reader = new FrameReader({
    maxBytes: MAX_EVENT_FRAME_BYTES,
    onFrame: (text) => conversation.read(text),
    onFault: (fault) => process.stderr.write(`${options.name}: a frame of the host cannot be read: ${fault}\n`),
    onDetected: (found) => {
      framing = found;
    },
  });
  process.stdin.on("data", (chunk: Buffer) => reader.push(chunk));
  // The host is gone, so no answer is needed any more.
  process.stdin.once(
    "end",
    () =>
      void conversation
        .stop()
        .catch(() => {})
        .then(exit),
  );
  process.stdin.once("error", exit);
}

/** Stdout for the protocol alone; whatever else is printed goes to stderr. */
function takeStdout(): (text: string) => void {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout) as (text: string) => boolean;
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr, stderr) as typeof globalThis.console;
  stdout.on("error", () => process.exit(0));
  return write;
}
