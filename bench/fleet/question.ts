import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import type { PendingApproval } from "hookline/internal/fleet";
import { accessOf, type Credential } from "../../packages/fleet/dist/credentials/credential.js";
import { publishRoster } from "../../packages/fleet/dist/credentials/published-roster.js";
import { connectServer } from "../../packages/fleet/dist/nats/connect.js";
import { followLink } from "../../packages/fleet/dist/nats/link.js";
import { signAnswer } from "../../packages/fleet/dist/questions/answer.js";
import { followQuestions, publishAnswer } from "../../packages/fleet/dist/questions/open-questions.js";
import { Crew } from "../../test/faults/processes.ts";
import { FleetFixture, until } from "../../test/fleet/fleet-fixture.ts";
import { wordRule } from "../../test/support/word-rule.ts";
import { interleave, median, ratios } from "../line/statistics.ts";
import { fleetOf, post } from "./hub-requests.ts";
import type { Measurement } from "./measurement.ts";

const CALLS = 20;
const LIMIT_MS = 20_000;

interface Decided {
  readonly verdict: string;
  readonly reason?: string;
}

/**
 * From a call that a rule asks about until its decision, with an answer as soon as the question is seen: by a person over the fleet, and by
 * one on the host. Both look for it without a pause.
 */
export const question: Measurement = async ({ program, rounds }) => {
  const fleet = await FleetFixture.start({ program });
  const [hostCrew, hubCrew] = [new Crew(), new Crew()];
  try {
    const [hub, host] = [fleet.settings("hub", "main"), fleet.settings("host", "bench")];
    const alex = fleet.tenant.addPerson("alex", "admin");
    fleet.reload();
    await fleet.ensure();
    await publishRoster(await fleet.admin(), fleet.tenant.signedRoster);
    await fleet.join(hub, hubCrew.state);
    await fleet.join(host, hostCrew.state);
    const config = join(hostCrew.state, "hookline.toml");
    writeFileSync(config, wordRule("deploys", "deploy", "ask"), { mode: 0o600 });
    await hubCrew.startHub();
    await hostCrew.startHub({ config });
    await until("the host has the roster", async () => Number((await fleetOf(hostCrew)).status?.roster) > 0);
    const person = await connectServer(accessOf(alex), { name: "alex" });
    const answerAsPerson = overFleet(person, alex);
    const times = await interleave(rounds, {
      fleet: (round) => measured(hostCrew, `fleet-${round}`, answerAsPerson),
      local: (round) => measured(hostCrew, `local-${round}`, () => onHost(hostCrew)),
    });
    await person.close();
    return [
      ["question → answer on the host → decision, p50", `${median(times("local")).toFixed(1)} ms`, ""],
      ["question → answer over the fleet → decision, p50", `${median(times("fleet")).toFixed(1)} ms`, ""],
      ["fleet / host", median(ratios(times("fleet"), times("local"))).toFixed(2), ""],
    ];
  } finally {
    await hostCrew[Symbol.asyncDispose]();
    await hubCrew[Symbol.asyncDispose]();
    await fleet.close();
  }
};

/** The median of some decisions, in milliseconds. */
async function measured(crew: Crew, run: string, answer: () => Promise<boolean>): Promise<number> {
  const taken: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const payload = { tool: { name: "Bash", input: { command: `deploy ${run}-${call}` } } };
    const start = performance.now();
    const asked = { event: "tool:before", payload, wait: true, timeoutMs: LIMIT_MS };
    const [{ verdict, reason }] = await Promise.all([post<Decided>(crew, "/api/decide", asked), untilAnswered(answer)]);
    taken.push(performance.now() - start);
    if (verdict !== "allow") throw new Error(`The decision was ${verdict}: ${reason}`);
  }
  return median(taken);
}

async function untilAnswered(answer: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; !(await answer()); await new Promise((done) => setImmediate(done)))
    if (performance.now() > end) throw new Error("There was no question.");
}

/** A person whose program follows the questions. False if there is none. */
function overFleet(connection: NatsConnection, { fleet, name, signingKey = "" }: Credential): () => Promise<boolean> {
  const questions = followQuestions(connection, followLink(connection), (error) => {
    throw error;
  });
  const answered = new Set<string>();
  return async () => {
    const found = questions.list().find(({ id }) => !answered.has(id));
    if (found === undefined) return false;
    const { id, host, hash, shown, expiresAt } = found;
    answered.add(id);
    const statement = { format: 1, fleet, host, question: id, hash, shown, verdict: "allow", by: name, until: expiresAt } as const;
    await publishAnswer(connection, found, signAnswer(statement, signingKey));
    return true;
  };
}

async function onHost(crew: Crew): Promise<boolean> {
  const { approvals } = await crew.get<{ readonly approvals: readonly PendingApproval[] }>("/api/approvals");
  const [found] = approvals;
  if (found === undefined) return false;
  await post(crew, `/api/approvals/${encodeURIComponent(found.id)}`, { verdict: "allow", hash: found.hash });
  return true;
}
