import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import type { Roster } from "../credentials/roster.js";
import { createSigningKey, publicKeyOf } from "../credentials/signing.js";
import { checkEnrolment, type Enrolment, newCode, readMade, signEnrolment } from "./enrolment.js";

const keys = { root: createSigningKey(), alex: createSigningKey() };
const roster: Roster = {
  format: 1,
  fleet: "0123456789abcdef",
  serial: 3,
  at: "2026-01-01T00:00:00.000Z",
  people: [
    { name: "root", role: "admin", key: publicKeyOf(keys.root), passkeys: [] },
    { name: "alex", role: "approve", key: publicKeyOf(keys.alex), passkeys: [] },
  ],
  hubs: [],
  hosts: [],
};
const { code, id, challenge } = newCode();
const NOW = 1_000_000;
const enrolment: Enrolment = {
  format: 1,
  fleet: roster.fleet,
  id,
  person: "alex",
  challenge,
  origin: "https://fleet.example.com",
  by: "root",
  until: NOW + 1000,
};

it("an enrolment counts with the signature of an admin, for its time", () => {
  expect(checkEnrolment(signEnrolment(enrolment, keys.root), roster, NOW)).toEqual(enrolment);
});

const refused: [string, unknown][] = [
  ["of a person with another role", signEnrolment({ ...enrolment, by: "alex" }, keys.alex)],
  ["in an admin's name", signEnrolment(enrolment, keys.alex)],
  [
    "for another person under the same signature",
    { ...signEnrolment(enrolment, keys.root), enrolment: JSON.stringify({ ...enrolment, person: "root" }) },
  ],
  ["of another fleet", signEnrolment({ ...enrolment, fleet: "fedcba9876543210" }, keys.root)],
  ["whose time is over", signEnrolment({ ...enrolment, until: NOW }, keys.root)],
  ["for more than an hour", signEnrolment({ ...enrolment, until: NOW + 3_600_001 }, keys.root)],
  ["that is nothing", undefined],
  ["that is not JSON", { enrolment: "{", signature: "" }],
];
it.each(refused)("an enrolment is refused %s", (_, signed) => {
  expect(checkEnrolment(signed, roster, NOW)).toBeUndefined();
});

it("a passkey counts only if it was made with the code, and is the one that was made", () => {
  const response = {
    id: "k",
    rawId: "k",
    type: "public-key",
    response: { clientDataJSON: "c", attestationObject: "a" },
    clientExtensionResults: {},
  };
  const proof = createHmac("sha256", code).update("k\nc\na").digest("hex");
  expect(readMade({ id, response, proof }, code)).toEqual({ id, response, proof });
  expect(readMade({ id, response, proof: "00".repeat(32) }, code)).toBeUndefined();
  expect(readMade({ id, response, proof: "" }, code)).toBeUndefined();
  expect(readMade({ id, response: { ...response, id: "other" }, proof }, code)).toBeUndefined();
  expect(
    readMade({ id, response: { ...response, response: { ...response.response, attestationObject: "b" } }, proof }, code),
  ).toBeUndefined();
  expect(readMade({ id, response, proof }, newCode().code)).toBeUndefined();
  expect(readMade({ response }, code)).toBeUndefined();
});
