import { describe, expect, it } from "vitest";
import { decodeRoster, encodeRoster, type Roster, type RosterPin, type SignedRoster, signRoster, verifyRoster } from "./roster.js";
import { createSigningKey, publicKeyOf, signText } from "./signing.js";

const root = createSigningKey();
const rootKey = publicKeyOf(root);
const fleet = "0123456789abcdef";
const person = { name: "vera", role: "view" as const, key: publicKeyOf(createSigningKey()), passkeys: [] };
const rosterOf = (more: Partial<Roster> = {}): Roster => ({
  format: 1,
  fleet,
  serial: 5,
  at: "2026-01-01T00:00:00.000Z",
  people: [person],
  hubs: [],
  hosts: [{ name: "anna", labels: { team: "web" } }],
  ...more,
});
const verify = (signed: SignedRoster, pin?: RosterPin) => verifyRoster(signed, { rootKey, fleet, pin });
const signed = signRoster(rosterOf(), root);
const { pin } = verify(signed);

describe("a roster", () => {
  it("is accepted with the root key's signature, again too, and with a later serial", () => {
    expect(verify(signed).roster).toEqual(rosterOf());
    expect(verify(signed, pin).pin).toEqual(pin);
    expect(verify(signRoster(rosterOf({ serial: 6 }), root), pin).roster.serial).toBe(6);
  });

  const raised = signed.roster.replace('"view"', '"admin"');
  const untyped = JSON.stringify({ ...rosterOf(), extra: 1 });
  const sign = (text: string) => ({ roster: text, signature: signText(root, "hookline-fleet-roster-v1", text) });
  const refused: [string, SignedRoster, string][] = [
    ["with another text", { ...signed, roster: raised }, "signature"],
    ["with an empty signature", { ...signed, signature: "" }, "signature"],
    ["signed by another key", signRoster(rosterOf({ serial: 9 }), createSigningKey()), "signature"],
    ["signed for another purpose", { ...signed, signature: signText(root, "another-purpose", signed.roster) }, "signature"],
    ["of another fleet", signRoster(rosterOf({ fleet: "fedcba9876543210" }), root), "another fleet"],
    ["with an older serial", signRoster(rosterOf({ serial: 4 }), root), "older"],
    ["with the same serial and other content", signRoster(rosterOf({ people: [] }), root), "same serial"],
    ["with unknown fields", sign(untyped), "cannot be read"],
    ["that is not JSON", sign("{"), "cannot be read"],
    ["with a name that is more than a token", sign(signed.roster.replace("anna", "anna.>")), "cannot be read"],
  ];
  it.each(refused)("is refused %s", (_, other, reason) => {
    expect(() => verify(other, pin)).toThrow(reason);
  });

  it("is refused if it is older than the invitation, also where no other was seen yet", () => {
    const trust = { rootKey, fleet };
    expect(() => verifyRoster(signed, { ...trust, minSerial: 6 })).toThrow("its serial 5 is older than 6");
    expect(verifyRoster(signed, { ...trust, minSerial: 5 }).roster.serial).toBe(5);
  });

  it("of 20,000 hosts fits into one message", () => {
    const hosts = Array.from({ length: 20_000 }, (_, at) => ({ name: `laptop-${at}`, labels: { team: `team-${at % 50}` } }));
    const large = signRoster(rosterOf({ hosts }), root);
    const bytes = encodeRoster(large);
    expect(bytes.length).toBeLessThan(1024 * 1024);
    expect(decodeRoster(bytes)).toEqual(large);
    expect(decodeRoster(encodeRoster(signed))).toEqual(signed);
  });

  it.each([new Uint8Array(), Buffer.from("{}"), Buffer.from([0x1f, 0x8b, 1]), Buffer.from('{"roster":1,"signature":""}')])(
    "that arrives as %j is refused",
    (bytes) => {
      expect(() => decodeRoster(bytes)).toThrow("cannot be read");
    },
  );
});
