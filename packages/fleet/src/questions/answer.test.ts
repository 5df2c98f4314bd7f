import { describe, expect, it } from "vitest";
import type { Roster } from "../credentials/roster.js";
import { createSigningKey, publicKeyOf, signText } from "../credentials/signing.js";
import {
  type AnswerStatement,
  answerChallenge,
  checkAnswer,
  decodeAnswer,
  encodeAnswer,
  type SignedAnswer,
  signAnswer,
  vouchAnswer,
} from "./answer.js";

const keys = {
  vera: createSigningKey(),
  alex: createSigningKey(),
  paul: createSigningKey(),
  web: createSigningKey(),
  mute: createSigningKey(),
};
const person = (name: keyof typeof keys, role: Roster["people"][number]["role"]) => ({
  name,
  role,
  key: publicKeyOf(keys[name]),
  passkeys: [],
});
const passkey = { id: "pass-1", publicKey: "AA", rpId: "fleet.example" };
const roster: Roster = {
  format: 1,
  fleet: "0123456789abcdef",
  serial: 3,
  at: "2026-01-01T00:00:00.000Z",
  people: [person("vera", "view"), { ...person("alex", "approve"), passkeys: [passkey] }, person("paul", "policy")],
  hubs: [
    { name: "web", key: publicKeyOf(keys.web), vouches: true },
    { name: "mute", key: publicKeyOf(keys.mute), vouches: false },
  ],
  hosts: [],
};
const statement: AnswerStatement = {
  format: 1,
  fleet: roster.fleet,
  host: "laptop",
  question: "q1",
  hash: "ab12",
  shown: "5h0w",
  verdict: "allow",
  by: "alex",
  until: 2000,
};
const trust = { roster, now: 1000, passkey: async () => false };
const signed = signAnswer(statement, keys.alex);
const changed = (more: Partial<AnswerStatement>): SignedAnswer => ({ ...signed, statement: JSON.stringify({ ...statement, ...more }) });
const withProof = (proof: SignedAnswer["proof"]): SignedAnswer => ({ ...signed, proof });

describe("an answer of the fleet", () => {
  it("counts with the key of a person who may answer, also after its journey", async () => {
    expect(await checkAnswer(signed, trust)).toEqual({ statement, factor: "key" });
    const arrived = decodeAnswer(encodeAnswer(signed));
    expect(arrived && (await checkAnswer(arrived, trust))).toEqual({ statement, factor: "key" });
  });

  it("counts when a hub that may vouch signs for the person", async () => {
    expect(await checkAnswer(vouchAnswer(statement, { name: "web", signingKey: keys.web }), trust)).toEqual({ statement, factor: "hub" });
  });

  it("counts with a passkey of the person, over the hash of exactly this statement", async () => {
    const seen: unknown[] = [];
    const answer = withProof({ kind: "passkey", response: { id: "pass-1" } });
    const check = async (...args: readonly unknown[]) => seen.push(args) > 0;
    expect(await checkAnswer(answer, { ...trust, passkey: check })).toEqual({ statement, factor: "passkey" });
    expect(seen).toEqual([[{ id: "pass-1" }, passkey, answerChallenge(signed.statement)]]);
    expect(answerChallenge(signed.statement)).not.toBe(answerChallenge(changed({ hash: "cd34" }).statement));
  });

  const refused: [string, SignedAnswer, string][] = [
    ["for another call under the same signature", changed({ hash: "cd34" }), "did not sign"],
    ["for a question that was shown differently", changed({ shown: "0th3r" }), "did not sign"],
    ["for another host under the same signature", changed({ host: "server" }), "did not sign"],
    ["with another verdict", changed({ verdict: "deny" }), "did not sign"],
    ["with `always` added", changed({ always: "ab12" }), "did not sign"],
    ["in another person's name", changed({ by: "vera" }), "role view"],
    ["of a person who is not on the roster", signAnswer({ ...statement, by: "zoe" }, keys.alex), 'no person "zoe"'],
    ["of a person who may only view", signAnswer({ ...statement, by: "vera" }, keys.vera), "role view"],
    ["of a person who only pushes policies", signAnswer({ ...statement, by: "paul" }, keys.paul), "role policy"],
    ["of another fleet", signAnswer({ ...statement, fleet: "fedcba9876543210" }, keys.alex), "another fleet"],
    ["after its time", signAnswer({ ...statement, until: 1000 }, keys.alex), "time is over"],
    ["signed for another purpose", withProof({ kind: "key", signature: signText(keys.alex, "another", signed.statement) }), "did not sign"],
    ["with an empty signature", withProof({ kind: "key", signature: "" }), "did not sign"],
    ["vouched for by a hub that may not", vouchAnswer(statement, { name: "mute", signingKey: keys.mute }), "lets no hub"],
    ["vouched for in another hub's name", vouchAnswer(statement, { name: "web", signingKey: keys.mute }), "did not sign"],
    ["vouched for by an unknown hub", vouchAnswer(statement, { name: "other", signingKey: keys.web }), "lets no hub"],
    ["with an unknown passkey", withProof({ kind: "passkey", response: { id: "pass-2" } }), "no such passkey"],
    ["with a passkey that did not sign", withProof({ kind: "passkey", response: { id: "pass-1" } }), "did not sign"],
    ["with unknown fields", { ...signed, statement: JSON.stringify({ ...statement, more: 1 }) }, "cannot be read"],
    ["that is not JSON", { ...signed, statement: "{" }, "cannot be read"],
  ];
  it.each(refused)("is refused %s", async (_, answer, reason) => {
    expect(await checkAnswer(answer, trust)).toEqual({ refused: expect.stringContaining(reason) });
  });

  it("is refused when the check of a passkey fails", async () => {
    const passkeyCheck = () => Promise.reject(new Error("broken"));
    const answer = withProof({ kind: "passkey", response: { id: "pass-1" } });
    expect(await checkAnswer(answer, { ...trust, passkey: passkeyCheck })).toEqual({ refused: expect.stringContaining("did not sign") });
  });

  it.each([new Uint8Array(), Buffer.from("{}"), Buffer.from([0xff, 0xfe]), Buffer.from('{"statement":1}')])(
    "that arrives as %j is nothing",
    (bytes) => {
      expect(decodeAnswer(bytes)).toBeUndefined();
    },
  );
});
