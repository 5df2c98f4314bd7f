import type { ToolPayload } from "@hookline/core";
import { encodeEnvelope } from "@hookline/core/sinks";

/** What a payload weighs as JSON. */
const PAYLOAD_BYTES = 300;

/** Words as they occur in what agents do: few that are everywhere, many that are rare. */
export const WORDS: readonly string[] = Array.from({ length: 4_096 }, (_, index) => `w${((index * 2_654_435_761) >>> 0).toString(36)}`);

/** A call of a tool and its result, 300 bytes of JSON, the same for the same number. A process has few sessions, a store many. */
export function payloadOf(number: number, sessions = 8): ToolPayload & { readonly status: "ok" } {
  const tool = { name: TOOLS[number % TOOLS.length] as string, callId: `call_${number}`, input: { command: "npm test" }, output: "" };
  const bare = { session: { id: `session-${number % sessions}` }, tool, status: "ok" } as const;
  const room = PAYLOAD_BYTES - JSON.stringify(bare).length;
  let output = "";
  for (let step = 0; output.length < room; step++) output += `${wordAt(number, step)} `;
  return { ...bare, tool: { ...bare.tool, output: output.slice(0, room) } };
}

interface LineOptions {
  /** What makes its id another than that of the same number before. */
  readonly run: string;
  readonly at?: number;
  readonly event?: string;
  readonly sessions?: number;
}

/** An envelope as a sender without the library writes it. */
export function lineOf(number: number, { run, at = Date.now(), event = "tool:after", sessions }: LineOptions): string {
  const payload = payloadOf(number, sessions);
  return encodeEnvelope({
    v: 2,
    id: `${run}-${number}`,
    seq: 0,
    at: new Date(at).toISOString(),
    event,
    source: { app: "bench", host: "localhost", pid: process.pid, instance: run },
    ...(payload.session !== undefined && { session: payload.session }),
    payload,
    hops: [run],
  });
}

const TOOLS = ["bash", "read", "edit", "grep", "write", "fetch"];

// Squared, so that the first words come far more often than the last.
function wordAt(number: number, step: number): string {
  let bits = Math.imul(number * 31 + step + 1, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  const random = ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  return WORDS[Math.floor(random * random * WORDS.length)] as string;
}
