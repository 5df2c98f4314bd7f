import { encodeEnvelope } from "@hookline/core/sinks";
import { exchange } from "../../faults/raw.ts";
import { sampleEnvelope } from "../../support/sample-envelope.ts";
import { inHub, wrongAnswer } from "../hub-subject.ts";
import type { FuzzTarget } from "../target.ts";

const decision = {
  verdict: "deny",
  allowed: false,
  reason: "no",
  by: "g",
  trail: [{ actor: { kind: "guard", name: "g" }, verdict: "deny" }],
};

/** Bodies of `POST /api/hooks/ingest`: envelopes, frames of Hermes, and lines of both. */
export const envelopes: FuzzTarget = {
  name: "envelopes",
  samples: [
    encodeEnvelope(sampleEnvelope()),
    encodeEnvelope(sampleEnvelope({ event: "tool:before", session: { id: "s", parentId: "p" }, decision: decision as never })),
    encodeEnvelope(sampleEnvelope({ event: "llm:after", payload: { usage: { inputTokens: 1, outputTokens: 2 }, model: "m" } })),
    `${encodeEnvelope(sampleEnvelope())}\n${encodeEnvelope(sampleEnvelope())}\n`,
    '{"event_type":"agent:start","context":{"session_id":"s1","timestamp":1700000000},"src":"my-agent"}',
  ],
  words: [
    "v",
    "id",
    "seq",
    "at",
    "event",
    "source",
    "session",
    "payload",
    "decision",
    "hops",
    "event_type",
    "context",
    "src",
    "tool:before",
    "trail",
    "actor",
  ],
  open: () =>
    inHub((crew) => {
      const { url, token } = crew.hubFile();
      const port = Number(new URL(url).port);
      return async (input) => {
        const type = input.length % 2 === 0 ? "application/json" : "application/x-ndjson";
        const head = `POST /api/hooks/ingest HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${input.length}\r\n\r\n`;
        const answer = await exchange({ host: "127.0.0.1", port }, [head, input], { timeoutMs: 60_000 });
        if (!/^HTTP\/1\.1 (200|4\d\d) /.test(answer)) return `the answer is ${JSON.stringify(answer.slice(0, 300))}`;
        return wrongAnswer(answer);
      };
    }),
};
