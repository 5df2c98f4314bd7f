import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { encodeCloudEvent } from "../cloud-event.js";
import { contentTypeOf, encodeBody, requestsOf } from "./body.js";
import { createCredentialHider } from "./hide-credentials.js";
import { readRetryAfter } from "./outcome.js";
import { messageIdOf, readKeys, signatureHeaders } from "./signature.js";

const envelope = (id: string, more: Partial<Envelope> = {}): Envelope => ({
  v: 2,
  id,
  seq: 7,
  at: "2026-01-01T00:00:00.000Z",
  event: "tool:before",
  source: { app: "my agent/x", host: "büro", pid: 1, instance: "i1" },
  session: { id: "s1" },
  payload: { text: "漢字 🪝" },
  hops: [],
  ...more,
});

describe("signatureHeaders", () => {
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "whsec_AAECAw=="];
  const body = encodeBody([envelope("a")], { mode: "batch", encoding: "hookline" });
  const message = { id: messageIdOf([envelope("a")]), body, atMs: Date.now() };

  it("verifies under each secret of a rotation, and under no other", () => {
    const headers = signatureHeaders(message, readKeys(secrets));
    expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+ v1,\S+$/);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual([envelope("a")]);
    expect(() => new Webhook("whsec_c29tZXRoaW5nIGVsc2U=").verify(body, headers)).toThrow("No matching signature");
    expect(() => new Webhook(secrets[0] as string).verify(`${body} `, headers)).toThrow("No matching signature");
  });

  it("is what the reference signs, and absent without a secret", () => {
    const [secret] = secrets as [string];
    const signed = new Webhook(secret).sign(message.id, new Date(message.atMs), body);
    expect(signatureHeaders(message, readKeys(secret))["webhook-signature"]).toBe(signed);
    expect(Object.keys(signatureHeaders(message, readKeys(undefined)))).toEqual(["webhook-id", "webhook-timestamp"]);
  });

  it("refuses secrets that are not base64, quoting none", () => {
    for (const secret of ["whsec_", "hunter2 hunter2!", "whsec_hunter2_hunter2"]) {
      expect(() => readKeys(secret)).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
      expect(() => readKeys(secret)).not.toThrow(/hunter2/);
    }
  });
});

describe("messageIdOf", () => {
  it("depends on the ids and their order alone, and has no full stop", () => {
    const [a, b] = [envelope("a.1"), envelope("b.1")];
    expect(messageIdOf([a, b])).toBe(messageIdOf([{ ...a, payload: null }, b]));
    expect(new Set([[a], [b], [a, b], [b, a], [envelope("a.1b.1")]].map(messageIdOf)).size).toBe(5);
    expect(messageIdOf([a, b])).toMatch(/^msg_[\w-]{32}$/);
  });
});

describe("encodeBody", () => {
  it("writes one envelope or a list", () => {
    const batch = [envelope("a"), envelope("b")];
    expect(String(encodeBody(batch, { mode: "batch", encoding: "hookline" }))).toBe(`[${batch.map(encodeEnvelope)}]`);
    expect(String(encodeBody([envelope("a")], { mode: "single", encoding: "hookline" }))).toBe(encodeEnvelope(envelope("a")));
    expect(requestsOf(batch, { mode: "single", encoding: "hookline" })).toEqual(batch.map((one) => [one]));
    expect(requestsOf([], { mode: "batch", encoding: "hookline" })).toEqual([]);
  });

  it("writes CloudEvents with every required attribute, valid names and strings", () => {
    const odd = envelope("c", { seq: 0, session: { id: "a\nb" }, source: { app: "\ud800", host: "", pid: 0, instance: "" } });
    const events = JSON.parse(String(encodeBody([envelope("a"), odd], { mode: "batch", encoding: "cloudevents" })));
    expect(events[0]).toEqual({
      specversion: "1.0",
      id: "a",
      source: "hookline://b%C3%BCro/my%20agent%2Fx/i1",
      type: "hookline.tool:before",
      time: "2026-01-01T00:00:00.000Z",
      subject: "s1",
      sequence: "0000000000000007",
      datacontenttype: "application/json",
      data: envelope("a"),
    });
    expect(Object.keys(events[1])).toEqual(["specversion", "id", "source", "type", "time", "datacontenttype", "data"]);
    for (const event of events) {
      for (const name of Object.keys(event)) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
      for (const name of ["specversion", "id", "source", "type"]) expect(event[name]).toMatch(/^\P{Cc}+$/u);
      expect(URL.canParse(event.source)).toBe(true);
    }
  });

  it("writes sequences of CloudEvents that sort as text", () => {
    const sequences = [9, 10, Number.MAX_SAFE_INTEGER].map((seq) => JSON.parse(encodeCloudEvent(envelope("a", { seq }))).sequence);
    expect(sequences.toSorted()).toEqual(sequences);
  });

  it("names the content by mode and encoding", () => {
    expect(contentTypeOf({ mode: "single", encoding: "cloudevents" })).toBe("application/cloudevents+json; charset=utf-8");
    expect(contentTypeOf({ mode: "batch", encoding: "cloudevents" })).toBe("application/cloudevents-batch+json; charset=utf-8");
    expect(contentTypeOf({ mode: "batch", encoding: "hookline" })).toBe("application/json");
  });
});

describe("readRetryAfter", () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0);
  const cases: [string | undefined, number | undefined][] = [
    ["0", 0],
    [" 120 ", 120_000],
    ["86400", 3_600_000],
    ["9".repeat(400), 3_600_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
    ["Sun Nov  6 08:49:37 1994", 37_000],
    ["Sun, 06 Nov 1994 07:00:00 GMT", 0],
    ["Mon, 07 Nov 2094 07:00:00 GMT", 3_600_000],
    ...[undefined, "", "-5", "1.5", "soon", "Sun, never", "Sunday"].map((text): [string | undefined, undefined] => [text, undefined]),
  ];
  for (const [text, waitMs] of cases)
    it(`reads ${String(text).slice(0, 40)}`, () => {
      expect(readRetryAfter(text, now)).toBe(waitMs);
    });
});

describe("createCredentialHider", () => {
  it("hides secrets whole, without their prefix, and credentials in headers", () => {
    const hideCredentials = createCredentialHider(["whsec_c2VjcmV0c2VjcmV0", "Bearer abcdef123", "1"]);
    expect(hideCredentials("a c2VjcmV0c2VjcmV0 b whsec_c2VjcmV0c2VjcmV0 c abcdef123 d 1")).toBe("a *** b *** c *** d 1");
  });
});
