import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { Judge } from "../../faults/judge.ts";
import { createRandom } from "../../faults/oracle.ts";
import { until } from "../../faults/processes.ts";
import { wordRule } from "../../support/word-rule.ts";
import { FleetCrew, type Host } from "./fleet-crew.ts";
import { FleetPeople, type PushOptions } from "./fleet-people.ts";
import { type FleetScenario, HOSTS } from "./scenario.ts";

const BLOCKS = wordRule("no-curl", "curl");
const ASKS = wordRule("deploys", "deploy", "ask");

/** A question that only a replayed answer was given to is denied after this. */
const REPLAY_MS = 6000;

interface Decided {
  readonly verdict: string;
  readonly reason?: string;
}

/** Asks the host's hub about a command; `undefined` while it is gone. */
async function decide({ crew }: Host, command: string, more: object = {}): Promise<Decided | undefined> {
  try {
    const { url, token } = crew.hubFile();
    const answer = await fetch(`${url}/api/decide`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ event: "tool:before", payload: { tool: { name: "Bash", input: { command } } }, timeoutMs: 30_000, ...more }),
      signal: AbortSignal.timeout(60_000),
    });
    return answer.ok ? ((await answer.json()) as Decided) : undefined;
  } catch {
    return undefined;
  }
}

interface PolicyStatus {
  readonly policy?: { readonly serial?: number; readonly refused?: string };
}
const policyOf = async (crew: FleetCrew, host: Host) => ((await crew.statusOf(host)) as PolicyStatus).policy ?? {};

/** Of the same length, so that nothing but the signature can tell. */
function changedAfterSigning(bytes: Buffer): Buffer {
  const text = gunzipSync(bytes).toString("latin1");
  const changed = text.replaceAll("nothing-1", "nothing-2");
  if (changed === text) throw new Error("The bundle was not changed.");
  return gzipSync(Buffer.from(changed, "latin1"));
}

/** What must never come into force, and the words of the refusal. Each would let curl pass. */
const BAD: readonly { readonly what: string; readonly says: string; readonly rules?: string; options(last: number): PushOptions }[] = [
  {
    what: "a wrong signature",
    says: "signature",
    options: () => ({ damage: changedAfterSigning }),
  },
  { what: "a signature by a stranger's key", says: "no such person", options: () => ({ key: FleetPeople.otherKey() }) },
  { what: "an old serial", says: "is older than serial", options: (last) => ({ serial: last - 1, pointed: last + 1000 }) },
  {
    what: "rules whose examples do not hold",
    says: "does not pass its own tests",
    rules: wordRule("nothing-1", "nothing-1").replace('catches = ["nothing-1 x"]', 'catches = ["ls x"]'),
    options: () => ({}),
  },
];

/** Bundles that must be refused are offered under load, and hosts are killed between. The last good one decides all the time, also after a restart. */
export const badPolicies: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const [judge, random] = [new Judge(), createRandom(seed)];
  const people = await FleetPeople.join(crew.fixture);
  await people.push(wordRule("first", "first"));
  let good = await people.push(BLOCKS);
  const inForce = (host: Host, serial: number) =>
    until(`${host.name} has policy ${serial}`, async () => (await policyOf(crew, host)).serial === serial, 120_000);
  for (const host of crew.hosts) await inForce(host, good);
  let isOver = false;
  const asking = Promise.all(
    crew.hosts.map(async (host) => {
      for (; !isOver; await pause(20)) {
        const decided = await decide(host, "curl x");
        if (decided !== undefined)
          judge.expect("I7", decided.verdict === "deny", `${host.name}: ${decided.verdict} ${decided.reason ?? ""}`);
      }
    }),
  );
  let kills = 0;
  for (let round = 0; round < (isQuick ? 1 : 3); round++)
    for (const { what, says, rules = wordRule("nothing-1", "nothing-1"), options } of BAD) {
      await crew.flowing();
      await people.push(rules, options(good));
      for (const host of crew.hosts) {
        await until(`${host.name} refuses ${what}`, async () => (await policyOf(crew, host)).refused?.includes(says) === true, 120_000);
        judge.expect("own", (await policyOf(crew, host)).serial === good, `${what} is in force on ${host.name}`);
      }
      const host = random.pick(crew.hosts) as Host;
      if (await crew.killHost(host)) kills++;
      await crew.startHost(host);
      const decided = await decide(host, "curl x");
      judge.expect("I7", decided?.verdict === "deny", `after a restart with ${what}: ${decided?.verdict}`);
      good = await people.push(`${BLOCKS}# ${what} ${round}\n`, what === "an old serial" ? { serial: good + 2000 } : {});
      for (const each of crew.hosts) await inForce(each, good);
    }
  const since = performance.now();
  isOver = true;
  await asking;
  await people.close();
  judge.happened(kills === BAD.length * (isQuick ? 1 : 3), `${kills} kills of host hubs`);
  await crew.judge(judge, since);
  return { ...judge.verdict("policies that must be refused", seed), kills };
};

/** A person's answer to one call is given to others: to another command, to the same command asked again, and to that of another host. */
export const replayed: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const judge = new Judge();
  const people = await FleetPeople.join(crew.fixture);
  const serial = await people.push(ASKS);
  for (const host of crew.hosts)
    await until(`${host.name} has the policy`, async () => (await policyOf(crew, host)).serial === serial, 120_000);
  const [anna, ben] = crew.hosts as [Host, Host];
  const ask = (host: Host, command: string, timeoutMs = 60_000) => decide(host, command, { wait: true, timeoutMs });
  let replays = 0;
  for (let round = 0; round < (isQuick ? 1 : 3); round++) {
    await crew.flowing();
    const first = ask(anna, `deploy ${round}`);
    const question = await people.question("anna", `deploy ${round}`);
    const answer = people.sign(question);
    await people.answer(question, answer);
    judge.expect("own", (await first)?.verdict === "allow", "the answer to the call itself did not count");
    for (const [host, command] of [
      [anna, `deploy other-${round}`],
      [anna, `deploy ${round}`],
      [ben, `deploy ${round}`],
    ] as const) {
      const waiting = ask(host, command, REPLAY_MS);
      await people.answer(await people.question(host.name, command), answer);
      replays++;
      const decided = await waiting;
      judge.expect("I7", decided !== undefined && decided.verdict !== "allow", `${host.name}, "${command}": ${decided?.verdict}`);
    }
  }
  const since = performance.now();
  const { alarms } = await anna.crew.get<{ readonly alarms: readonly { readonly text: string }[] }>("/api/alarms");
  judge.happened(
    replays > 0 && alarms.some(({ text }) => text.includes("does not count")),
    "the answers reached the host and were refused",
  );
  await people.close();
  await crew.judge(judge, since);
  return { ...judge.verdict("answers replayed for other calls", seed), kills: 0 };
};
