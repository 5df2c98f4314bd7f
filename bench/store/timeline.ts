import { atMost, type Finding, type Measurement } from "../line/measurement.ts";
import type { HubMethods } from "../line/processes/hub.ts";
import { median } from "../line/statistics.ts";
import { longSession, SPANS } from "../ui/long-session.ts";

const ROUNDS = 9;
const LIMIT_MS = 150;

/** How soon a hub answers with a session of ten thousand spans. */
export const timeline: Measurement = {
  name: "timeline",
  async run(sandbox, say) {
    const hub = await sandbox.start<HubMethods>("hub");
    const { file, operator } = await hub.ask("info");
    for (const body of longSession("long")) {
      const headers = { authorization: `Bearer ${file.token}`, "content-type": "application/x-ndjson" };
      const answer = await fetch(`${file.url}/api/hooks/ingest`, { method: "POST", headers, body });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`The hub answered ${answer.status}: ${text.slice(0, 200)}`);
    }
    say(`${ROUNDS + 1} questions`);
    const first = await ask(file.url, operator);
    const later: number[] = [];
    for (let round = 0; round < ROUNDS; round++) later.push(await ask(file.url, operator));
    await hub.stop();
    return findings(first, later);
  },
};

/** Milliseconds to the last byte of an answer that has all the spans. */
async function ask(url: string, operator: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(`${url}/api/sessions/long/timeline`, { headers: { authorization: `Bearer ${operator}` } });
  const text = await answer.text();
  const ms = performance.now() - start;
  const { spans } = JSON.parse(text) as { readonly spans?: readonly unknown[] };
  if (spans?.length !== SPANS) throw new Error(`The hub answered ${answer.status} with ${spans?.length} spans.`);
  return ms;
}

function findings(first: number, later: readonly number[]): Finding[] {
  const row = `timeline, ${SPANS.toLocaleString("en")} spans`;
  const ms = median(later);
  return [
    atMost(LIMIT_MS, ms, {
      row,
      what: "the hub's answer",
      measured: `${ms.toFixed(0)} ms`,
      target: `under ${LIMIT_MS} ms`,
      beside: `the first after its start: ${first.toFixed(0)} ms`,
    }),
  ];
}
