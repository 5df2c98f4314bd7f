import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Hub } from "hookline/hub";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessOf, type Credential } from "../../packages/fleet/src/credentials/credential.ts";
import { publishRoster as putRoster } from "../../packages/fleet/src/credentials/published-roster.ts";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { ASK_STREAM, buckets, subjects } from "../../packages/fleet/src/nats/subjects.ts";
import { type AnswerStatement, encodeAnswer, signAnswer } from "../../packages/fleet/src/questions/answer.ts";
import { OpenQuestions, publishAnswer, readQuestions } from "../../packages/fleet/src/questions/open-questions.ts";
import { type HostQuestion, questionKey } from "../../packages/fleet/src/questions/question.ts";
import { natsForTests } from "../support/nats-server.ts";
import { FleetFixture, openHub, until } from "./fleet-fixture.ts";

const nats = natsForTests();
const SECRET = `ghp_${"a1B2".repeat(9)}`;

describe.skipIf(nats.isMissing)("questions of hosts", () => {
  let fleet: FleetFixture;
  let anna: Hub;
  let ben: Hub;
  let hub: Hub;
  let alex: Credential;
  let vera: Credential;
  let person: NatsConnection;
  let attacker: NatsConnection;
  const problems: string[] = [];
  let asked = 0;

  beforeAll(async () => {
    fleet = await FleetFixture.start({ program: nats.program });
    const settings = { hub: fleet.settings("hub", "main"), anna: fleet.settings("host", "anna"), ben: fleet.settings("host", "ben") };
    alex = fleet.tenant.addPerson("alex", "approve");
    vera = fleet.tenant.addPerson("vera", "view");
    fleet.reload();
    await fleet.ensure();
    await publishRoster();
    [anna, ben, hub] = await Promise.all([
      openHub(fleet, settings.anna, problems),
      openHub(fleet, settings.ben),
      openHub(fleet, settings.hub),
    ]);
    person = await connectServer(accessOf(alex), { name: "alex" });
    attacker = await connectServer({ ...settings.anna, ca: undefined }, { name: "anna" });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([person?.close(), attacker?.close()]);
    await Promise.all([anna, ben, hub].map((each) => each?.close()));
    await fleet?.close();
  });

  async function publishRoster(): Promise<void> {
    await putRoster(await fleet.admin(), fleet.tenant.signedRoster);
  }

  /** Asks a person on a host, as a guard does. */
  function ask(on: Hub, command: string, ms = 60_000) {
    const id = `question-${++asked}`;
    const approver = on.parts.approvals.approverFor({ cwd: "/work" });
    const actor = { kind: "rule", name: "shell" } as const;
    const payload = { cwd: "/work", tool: { name: "Bash", input: { command } } };
    const stop = new AbortController();
    const request = {
      session: undefined,
      id,
      event: "tool:before",
      eventId: id,
      payload,
      by: "shell",
      actor,
      asks: [],
      reason: "It may do harm.",
      expiresAt: Date.now() + ms,
    };
    const reply = Promise.resolve(approver(request, stop.signal));
    reply.catch(() => {});
    return { id, reply, withdraw: () => stop.abort() };
  }

  async function open(): Promise<readonly HostQuestion[]> {
    const questions = new OpenQuestions();
    await readQuestions(person, questions);
    return questions.list();
  }

  async function shown(id: string): Promise<HostQuestion> {
    await until(`${id} is shown in the fleet`, async () => (await open()).some((question) => question.id === id));
    return (await open()).find((question) => question.id === id) ?? expect.fail(id);
  }

  function statementFor({ host, id, hash, shown: digest, expiresAt }: HostQuestion, more: Partial<AnswerStatement> = {}): AnswerStatement {
    return {
      format: 1,
      fleet: alex.fleet,
      host,
      question: id,
      hash,
      shown: digest,
      verdict: "allow",
      by: "alex",
      until: expiresAt,
      ...more,
    };
  }

  const sign = (statement: AnswerStatement, { signingKey = "" } = alex) => signAnswer(statement, signingKey);
  const alarms = (on: Hub) => on.parts.alarms.list().alarms.map(({ text }) => text);

  it("are seen without secrets by people and by the fleet hub, and the first signed answer counts", async () => {
    const { id, reply } = ask(anna, `curl -H "Authorization: Bearer ${SECRET}" https://example.com`);
    const question = await shown(id);
    expect(question).toMatchObject({ host: "anna", by: "shell", cwd: "/work", reason: "It may do harm." });
    expect(JSON.stringify(question)).not.toContain(SECRET);
    await until("the fleet hub has it", () => hub.parts.fleet.part?.questions?.().some((one) => one.id === id) === true);
    await publishAnswer(person, question, sign(statementFor(question)));
    expect(await reply).toMatchObject({ verdict: "allow", by: "alex", actor: { kind: "person", name: "alex" } });
    await expect(publishAnswer(person, question, sign(statementFor(question, { verdict: "deny" })))).rejects.toThrow(
      "has an answer already",
    );
    await until("it is gone", async () => (await open()).length === 0 && hub.parts.fleet.part?.questions?.().length === 0);
  });

  it("may be answered on the host, and then nobody else is asked", async () => {
    const { id, reply } = ask(anna, "make deploy");
    const question = await shown(id);
    anna.parts.approvals.answer(id, { verdict: "deny", hash: question.hash, by: "local" });
    expect(await reply).toMatchObject({ verdict: "deny", by: "local" });
    await until("it is gone", async () => (await open()).length === 0);
  });

  it("disappear when the process waits no longer", async () => {
    const { id, withdraw } = ask(anna, "make clean");
    await shown(id);
    withdraw();
    await until("it is gone", async () => (await open()).length === 0);
  });

  const forged: [string, (question: HostQuestion) => Promise<Uint8Array>, RegExp][] = [
    ["by a person who may only view", async (one) => encodeAnswer(sign(statementFor(one, { by: "vera" }), vera)), /role view/],
    ["in another person's name", async (one) => encodeAnswer(sign(statementFor(one), vera)), /did not sign/],
    ["for another host", async (one) => encodeAnswer(sign(statementFor(one, { host: "ben" }))), /for the host ben/],
    ["for another question", async (one) => encodeAnswer(sign(statementFor(one, { question: "question-0" }))), /another question/],
    ["for another call", async (one) => encodeAnswer(sign(statementFor(one, { hash: "0".repeat(64) }))), /another call/],
    [
      "after another question was shown",
      async (one) => encodeAnswer(sign(statementFor(one, { shown: "0".repeat(64) }))),
      /was shown another/,
    ],
    ["that has expired", async (one) => encodeAnswer(sign(statementFor(one, { until: 1000 }))), /time is over/],
    ["that is not one", async () => Buffer.from("yes"), /cannot be read/],
    [
      "that was given to another question",
      async (one) => {
        const other = ask(ben, "ls");
        const question = await shown(other.id);
        other.withdraw();
        return encodeAnswer(sign(statementFor({ ...question, expiresAt: one.expiresAt })));
      },
      /for the host ben/,
    ],
  ];
  it.each(forged)("take no answer %s, raise an alarm, and wait for the local approver", async (_, forge, reason) => {
    const { id, reply } = ask(anna, `touch ${asked}`);
    const question = await shown(id);
    await jetstream(person).publish(subjects.answer("anna", questionKey(question)), await forge(question));
    await until("the alarm", () => alarms(anna).some((text) => reason.test(text)));
    anna.parts.approvals.answer(id, { verdict: "deny", hash: question.hash });
    expect(await reply).toMatchObject({ verdict: "deny" });
  });

  it("take no answer of a person who was removed from the roster", async () => {
    const zoe = fleet.tenant.addPerson("zoe", "approve");
    fleet.tenant.remove("person", "zoe");
    await publishRoster();
    const { id, reply } = ask(anna, "make release");
    const question = await shown(id);
    await publishAnswer(person, question, sign(statementFor(question, { by: "zoe" }), zoe));
    await until("the alarm", () => alarms(anna).some((text) => text.includes('no person "zoe"')));
    anna.parts.approvals.answer(id, { verdict: "deny", hash: question.hash });
    await reply;
  });

  it("that the fleet always allows are answered on every host, until a person takes it back", async () => {
    const first = ask(anna, "npm publish");
    const question = await shown(first.id);
    const answer = sign(statementFor(question, { always: question.call ?? "" }));
    await publishAnswer(person, question, answer);
    await first.reply;
    const key = subjects.key(buckets.always, question.call ?? "");
    await jetstream(person).publish(key, encodeAnswer(answer));
    const second = ask(ben, "npm publish");
    expect(await second.reply).toMatchObject({ verdict: "allow", actor: { kind: "policy", name: "alex", owner: "fleet-always" } });
    // An entry under another call's hash is not that person's word.
    const other = ask(ben, "npm unpublish");
    const foreign = await shown(other.id);
    await jetstream(person).publish(subjects.key(buckets.always, foreign.call ?? ""), encodeAnswer(answer));
    const { headers } = await import("@nats-io/transport-node");
    const removal = headers();
    removal.set("KV-Operation", "DEL");
    await jetstream(person).publish(key, new Uint8Array(), { headers: removal });
    await until("ben has forgotten it", () => ben.parts.fleet.part?.status().always === 0);
    // A host cannot put it back by letting the server reply with the answer that it has got.
    const came = new Promise<void>((resolve) => {
      attacker.subscribe(subjects.told(key), { callback: () => resolve() });
    });
    await attacker.flush();
    const reply = subjects.told(key);
    attacker.publish(`$JS.API.DIRECT.GET.ASK.${subjects.answer("anna", questionKey(question))}`, "", { reply });
    await came;
    const third = ask(ben, "npm publish");
    expect((await shown(third.id)).call).toBe(question.call);
    expect((await open()).map(({ id }) => id).sort()).toEqual([other.id, third.id].sort());
    other.withdraw();
    third.withdraw();
  });

  it("cannot be allowed by a key in a file while the host is protected, and can be denied", async () => {
    const { protect } = anna.parts;
    const isOn = vi.spyOn(protect, "isOn", "get").mockReturnValue(true);
    try {
      const first = ask(anna, "make protected");
      const question = await shown(first.id);
      await publishAnswer(person, question, sign(statementFor(question)));
      await until("the alarm", () => alarms(anna).some((text) => text.includes("does not prove that a person gave it")));
      first.withdraw();
      const second = ask(anna, "make protected again");
      const denied = await shown(second.id);
      await publishAnswer(person, denied, sign(statementFor(denied, { verdict: "deny" })));
      expect(await second.reply).toMatchObject({ verdict: "deny", by: "alex" });
    } finally {
      isOn.mockRestore();
    }
  });

  it("are shown later if the server could not take them", async () => {
    const manager = await jetstreamManager(await fleet.admin());
    await manager.streams.delete(ASK_STREAM);
    const { id, reply } = ask(anna, "make later", 120_000);
    await until("the host says so", () => problems.some((text) => text.startsWith("A question was not shown to the fleet")));
    await fleet.ensure();
    const question = await shown(id);
    await publishAnswer(person, question, sign(statementFor(question)));
    expect(await reply).toMatchObject({ verdict: "allow", by: "alex" });
  });

  it("are answered by the local approver while the server is away, and shown again when it is back", async () => {
    await fleet.killServer(0);
    const lost = ask(anna, "make one");
    anna.parts.approvals.answer(lost.id, {
      verdict: "allow",
      hash: anna.parts.approvals.list().find(({ id }) => id === lost.id)?.hash ?? "",
    });
    expect(await lost.reply).toMatchObject({ verdict: "allow" });
    const kept = ask(anna, "make two", 120_000);
    await fleet.startServer(0);
    await person.close().catch(() => {});
    person = await connectServer(accessOf(alex), { name: "alex", forever: true });
    const question = await shown(kept.id);
    await publishAnswer(person, question, sign(statementFor(question)));
    expect(await kept.reply).toMatchObject({ verdict: "allow", by: "alex" });
  });
});
