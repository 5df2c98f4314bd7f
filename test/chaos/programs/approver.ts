// A person who answers every question at once: allows what begins with "ask-yes", and denies the rest. approver.ts <{ log }>
import { openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { answerWith, sayReady } from "../../faults/programs/answers.ts";
import { commandOf, type Question } from "../world.ts";

const { log } = JSON.parse(process.argv[2] as string) as { log: string };
const file = openSync(log, "a", 0o600);
const state = join(process.env.XDG_STATE_HOME ?? "", "hookline");
let answered = 0;

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(state, name), "utf8")) as T;
}

async function answerAll(): Promise<void> {
  const { url } = read<{ url: string }>("hub.json");
  const { token } = read<{ token: string }>("operator.json");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/api/approvals`, { headers, signal: AbortSignal.timeout(5_000) });
  if (!answer.ok) return void (await answer.text());
  const { approvals } = (await answer.json()) as { approvals: Question[] };
  for (const question of approvals) {
    const command = commandOf(question);
    const verdict = command.startsWith("ask-yes") ? "allow" : "deny";
    // Before it is said: a kill in between leaves a note of an answer that was not given, never the opposite.
    writeSync(file, `${verdict} ${command}\n`);
    const body = JSON.stringify({ verdict, hash: question.hash, by: "approver" });
    const reply = await fetch(`${url}/api/approvals/${question.id}`, { method: "POST", headers, body, signal: AbortSignal.timeout(5_000) });
    if (reply.ok) answered++;
    await reply.text();
  }
}

answerWith({ answered: () => answered });
sayReady();
for (;;) {
  await answerAll().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 250));
}
