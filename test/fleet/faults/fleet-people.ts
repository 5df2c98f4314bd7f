import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { accessOf, type Credential } from "../../../packages/fleet/dist/credentials/credential.js";
import { publishRoster } from "../../../packages/fleet/dist/credentials/published-roster.js";
import { connectServer } from "../../../packages/fleet/dist/nats/connect.js";
import { pushBundle, readChannel, readHistory } from "../../../packages/fleet/dist/nats/policy-store.js";
import { subjects } from "../../../packages/fleet/dist/nats/subjects.js";
import { encodeAnswer, type SignedAnswer, signAnswer } from "../../../packages/fleet/dist/questions/answer.js";
import { OpenQuestions, readQuestions } from "../../../packages/fleet/dist/questions/open-questions.js";
import { type HostQuestion, questionKey } from "../../../packages/fleet/dist/questions/question.js";
import { packBundle, readBundle } from "../../../packages/hookline/dist/bundles/bundle.js";
import { until } from "../../faults/processes.ts";
import { DAY_MS } from "../../support/word-rule.ts";
import type { FleetFixture } from "../fleet-fixture.ts";

export interface PushOptions {
  /** Default: the next one. */
  readonly serial?: number;
  /** What the server's pointer says, whatever the bundle says. */
  readonly pointed?: number;
  /** Default: the person's own. */
  readonly key?: KeyObject;
  /** Changes the bundle after it was signed. */
  readonly damage?: (bytes: Buffer) => Buffer;
}

/** A person who pushes policies and one who answers questions, with what they can try beside that. */
export class FleetPeople {
  readonly #pia: Credential;
  readonly #alex: Credential;
  readonly #connections: { readonly pia: NatsConnection; readonly alex: NatsConnection };

  private constructor(people: { readonly pia: Credential; readonly alex: Credential }, connections: FleetPeople["connections"]) {
    this.#pia = people.pia;
    this.#alex = people.alex;
    this.#connections = connections;
  }

  get connections(): { readonly pia: NatsConnection; readonly alex: NatsConnection } {
    return this.#connections;
  }

  static async join(fixture: FleetFixture): Promise<FleetPeople> {
    const { tenant } = fixture;
    const [pia, alex] = [tenant.addPerson("pia", "policy"), tenant.addPerson("alex", "approve")];
    fixture.reload();
    await publishRoster(await fixture.admin(), tenant.signedRoster);
    const connect = (person: Credential) => connectServer(accessOf(person), { name: person.name, forever: true });
    return new FleetPeople({ pia, alex }, { pia: await connect(pia), alex: await connect(alex) });
  }

  static otherKey(): KeyObject {
    return generateKeyPairSync("ed25519").privateKey;
  }

  /** Gives the serial of the bundle. */
  async push(rules: string, { serial, pointed, key, damage = (bytes) => bytes }: PushOptions = {}): Promise<number> {
    const { pia: connection } = this.#connections;
    const read = { channel: await readChannel(connection, "stable"), history: await readHistory(connection) };
    const next = serial ?? Math.max(0, ...read.history.value.map((one) => one.serial)) + 1;
    const signer = { name: "pia", key: key ?? createPrivateKey(this.#pia.signingKey ?? "") };
    const notAfter = Date.now() + DAY_MS;
    const bytes = packBundle(new Map([["rules.toml", Buffer.from(rules)]]), new Set(), {
      name: "acme",
      channel: "stable",
      serial: next,
      notAfter,
      signer,
    });
    const { digest } = readBundle(bytes);
    const pushed = { channel: "stable", name: "acme", serial: pointed ?? next, digest, notAfter, signer: "pia" } as const;
    await pushBundle(connection, damage(bytes), pushed, read);
    return next;
  }

  /** The question about a command, as soon as the fleet has it. */
  async question(host: string, command: string): Promise<HostQuestion> {
    const { alex: connection } = this.#connections;
    let found: HostQuestion | undefined;
    await until(`the question about "${command}" is in the fleet`, async () => {
      const questions = new OpenQuestions();
      await readQuestions(connection, questions);
      found = questions.list().find((one) => one.host === host && JSON.stringify(one.payload).includes(command));
      return found !== undefined;
    });
    return found as HostQuestion;
  }

  /** The person's "yes" to a question. */
  sign({ host, id, hash, shown, expiresAt }: HostQuestion): SignedAnswer {
    const { fleet, signingKey = "" } = this.#alex;
    const statement = { format: 1, fleet, host, question: id, hash, shown, verdict: "allow", by: "alex", until: expiresAt } as const;
    return signAnswer(statement, signingKey);
  }

  /** Gives an answer to a question, whatever it was signed for. */
  async answer(question: HostQuestion, answer: SignedAnswer): Promise<void> {
    const seconds = Math.max(1, Math.ceil((question.expiresAt - Date.now()) / 1000));
    await jetstream(this.#connections.alex).publish(subjects.answer(question.host, questionKey(question)), encodeAnswer(answer), {
      ttl: `${seconds}s`,
    });
  }

  async close(): Promise<void> {
    for (const connection of Object.values(this.#connections)) await connection.close();
  }
}
