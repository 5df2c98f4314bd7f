const TURNS = 100;
const CALLS = 99;
const BATCH_TURNS = 10;
const CALL_MS = 300;
const TOOLS = ["Bash", "Read", "Edit", "Grep", "WebFetch"];

/** Turns, and the calls in them. */
export const SPANS = TURNS * (1 + CALLS);

/** The events of a session with so many spans, as bodies for `/api/hooks/ingest`. */
export function* longSession(session: string): Generator<string> {
  const start = Date.now() - SPANS * CALL_MS;
  let made = 0;
  const line = (event: string, at: number, payload: object, decision?: object): string => {
    const source = { app: "bench", host: "localhost", pid: process.pid, instance: session };
    const envelope = {
      v: 2,
      id: `${session}-${++made}`,
      seq: made,
      at: new Date(at).toISOString(),
      event,
      source,
      session: { id: session },
    };
    return JSON.stringify({ ...envelope, payload: { session: { id: session }, ...payload }, hops: [session], decision });
  };
  for (let first = 0; first < TURNS; first += BATCH_TURNS) {
    const lines: string[] = [];
    for (let turn = first; turn < first + BATCH_TURNS; turn++) {
      const at = start + turn * CALLS * CALL_MS;
      lines.push(line("agent:start", at, {}));
      for (let call = 0; call < CALLS; call++) {
        const tool = {
          name: TOOLS[call % TOOLS.length],
          callId: `${turn}-${call}`,
          input: { command: `npm test -- --part ${turn}/${call}` },
        };
        const begun = at + call * CALL_MS + 10;
        lines.push(line("tool:before", begun, { tool }, decisionOf(call)));
        lines.push(line("tool:after", begun + 60 + ((turn * 31 + call * 17) % 200), { tool, status: "ok" }));
      }
      lines.push(line("agent:end", at + CALLS * CALL_MS - 5, {}));
    }
    yield `${lines.join("\n")}\n`;
  }
}

function decisionOf(call: number): object {
  const verdict = call % 20 === 7 ? "deny" : call % 9 === 4 ? "allow" : "pass";
  const trail = [
    { actor: { kind: "rule", name: "no-secrets", owner: "rules" }, stage: "guard", round: 0, durationMs: 5.1, action: "no-match" },
  ];
  return { verdict, modified: false, endLoop: false, trail, ...(verdict !== "pass" && { by: "no-secrets", reason: "Because." }) };
}
