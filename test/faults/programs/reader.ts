// Follows the hub's stream over restarts, as a page would: notes the place of every event it is shown.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { answerWith, sayReady } from "./answers.ts";

const places: number[] = [];
let connections = 0;

async function follow(): Promise<void> {
  const { url } = read("hub.json") as { url: string };
  const { token } = read("operator.json") as { token: string };
  const headers = { authorization: `Bearer ${token}`, "last-event-id": String(places.at(-1) ?? 0) };
  const answer = await fetch(`${url}/api/stream`, { headers });
  if (!answer.ok || answer.body === null) return;
  connections++;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.body) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop() as string;
    for (const frame of frames) note(frame);
  }
}

function note(frame: string): void {
  const [, place] = /^id: (\d+)$/m.exec(frame) ?? [];
  if (place !== undefined && /^event: hook$/m.test(frame)) places.push(Number(place));
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(stateFolder(), name), "utf8"));
}

answerWith({ last: () => places.at(-1) ?? 0, report: () => ({ places, connections }) });
sayReady();
for (;;) {
  await follow().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
}
